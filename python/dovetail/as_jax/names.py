"""The names of JAX: its version, its modules, and the names that Dovetail lacks."""

from __future__ import annotations

VERSION_INFO = (0, 10, 2)
VERSION = ".".join(map(str, VERSION_INFO))

# All public modules, and those that libraries know beside them.
MODULES = frozenset(
    """
    jax jax.ad_checkpoint jax.api_util jax.core jax.custom_batching jax.custom_derivatives
    jax.debug jax.distributed jax.dlpack jax.dtypes jax.errors jax.example_libraries
    jax.example_libraries.optimizers jax.example_libraries.stax jax.experimental
    jax.experimental.array_serialization jax.experimental.buffer_callback
    jax.experimental.checkify jax.experimental.colocated_python
    jax.experimental.compilation_cache jax.experimental.compute_on
    jax.experimental.control_deps jax.experimental.custom_partitioning jax.experimental.fused
    jax.experimental.hijax jax.experimental.jax2tf jax.experimental.jet
    jax.experimental.key_reuse jax.experimental.layout jax.experimental.mesh_utils
    jax.experimental.mosaic jax.experimental.multihost_utils jax.experimental.ode
    jax.experimental.pallas jax.experimental.pjit jax.experimental.profiler
    jax.experimental.random jax.experimental.rnn jax.experimental.roofline
    jax.experimental.scheduling_groups jax.experimental.serialize_executable
    jax.experimental.shard_alike jax.experimental.shard_map jax.experimental.source_mapper
    jax.experimental.sparse jax.experimental.topologies jax.experimental.transfer
    jax.experimental.xla_metadata jax.export jax.extend jax.extend.backend jax.extend.core
    jax.extend.core.primitives jax.extend.ifrt_programs jax.extend.linear_util
    jax.extend.lowering jax.extend.mlir jax.extend.mlir.dialects
    jax.extend.mlir.dialects.arith jax.extend.mlir.dialects.builtin
    jax.extend.mlir.dialects.chlo jax.extend.mlir.dialects.func jax.extend.mlir.dialects.math
    jax.extend.mlir.dialects.memref jax.extend.mlir.dialects.mpmd jax.extend.mlir.dialects.scf
    jax.extend.mlir.dialects.sdy jax.extend.mlir.dialects.sparse_tensor
    jax.extend.mlir.dialects.stablehlo jax.extend.mlir.dialects.vector jax.extend.mlir.ir
    jax.extend.mlir.passmanager jax.extend.pallas jax.extend.random jax.extend.sharding
    jax.extend.source_info_util jax.extend.xla jax.ffi jax.flatten_util jax.image
    jax.interpreters jax.interpreters.ad jax.interpreters.batching jax.interpreters.mlir
    jax.interpreters.partial_eval jax.interpreters.pxla jax.interpreters.xla jax.lax
    jax.lax.linalg jax.lib jax.monitoring jax.nn jax.nn.initializers jax.numpy jax.numpy.fft
    jax.numpy.linalg jax.ops jax.profiler jax.random jax.ref jax.scipy jax.scipy.cluster
    jax.scipy.cluster.vq jax.scipy.fft jax.scipy.integrate jax.scipy.interpolate
    jax.scipy.linalg jax.scipy.ndimage jax.scipy.optimize jax.scipy.signal jax.scipy.sparse
    jax.scipy.sparse.linalg jax.scipy.spatial jax.scipy.spatial.transform jax.scipy.special
    jax.scipy.stats jax.scipy.stats.bernoulli jax.scipy.stats.beta jax.scipy.stats.betabinom
    jax.scipy.stats.binom jax.scipy.stats.cauchy jax.scipy.stats.chi2
    jax.scipy.stats.dirichlet jax.scipy.stats.expon jax.scipy.stats.gamma
    jax.scipy.stats.gennorm jax.scipy.stats.geom jax.scipy.stats.gumbel_l
    jax.scipy.stats.gumbel_r jax.scipy.stats.laplace jax.scipy.stats.logistic
    jax.scipy.stats.multinomial jax.scipy.stats.multivariate_normal jax.scipy.stats.nbinom
    jax.scipy.stats.norm jax.scipy.stats.pareto jax.scipy.stats.poisson jax.scipy.stats.t
    jax.scipy.stats.truncnorm jax.scipy.stats.uniform jax.scipy.stats.vonmises
    jax.scipy.stats.wrapcauchy jax.sharding jax.stages jax.test_util jax.tree jax.tree_util
    jax.typing jax.version jaxlib
    """.split()  # noqa: SIM905
)

# Folders whose modules are not listed: none of them is here.
FOLDERS = (
    "jax.experimental.array_serialization.",
    "jax.experimental.colocated_python.",
    "jax.experimental.compilation_cache.",
    "jax.experimental.jax2tf.",
    "jax.experimental.key_reuse.",
    "jax.experimental.mosaic.",
    "jax.experimental.pallas.",
    "jax.experimental.roofline.",
    "jax.experimental.source_mapper.",
    "jax.experimental.sparse.",
)

# Internal modules of which libraries import what a module here has.
ALIASES = {
    "jax._src.api": "dovetail",
    "jax._src.core": "dovetail.as_jax.jax.core",
    "jax._src.errors": "dovetail.errors",
    "jax._src.interpreters.batching": "dovetail.as_jax.jax.interpreters.batching",
    "jax._src.interpreters.mlir": "dovetail.as_jax.jax.interpreters.mlir",
    "jax._src.interpreters.partial_eval": "dovetail.as_jax.jax.interpreters.partial_eval",
    "jax._src.interpreters.pxla": "dovetail.as_jax.jax.interpreters.pxla",
    "jax._src.interpreters.xla": "dovetail.as_jax.jax.interpreters.xla",
}

# Names that modules here lack, by their module. A module that is not here lacks all; internal ones
# are listed if libraries import them.
MISSING = {
    module: frozenset(text.split())
    for module, text in {
        "jax": """
            array_garbage_collection_guard auto_pcast enable_checks
            jax2tf_associative_scan_reductions memory
            remove_size_one_mesh_axis_from_type softmax_custom_jvp thread_guard
        """,
        "jax._src.ad_util": """
            stop_gradient_p
        """,
        "jax._src.checkify": """
            Error JaxException Out checkify user_checks
        """,
        "jax._src.core": """
            pytype_aval_mappings
        """,
        "jax._src.earray": """
            EArray
        """,
        "jax.ad_checkpoint": """
            Offloadable Recompute Saveable
        """,
        "jax.api_util": """
            argnums_partial donation_vector flatten_axes rebase_donate_argnums
            safe_map
        """,
        "jax.core": """
            Atom CallPrimitive DebugInfo DropVar JaxprPpContext JaxprPpSettings
            JaxprTypeError OutputType ParamDict Value abstract_token
            aval_mapping_handlers call check_jaxpr concretization_function_error
            custom_typechecks eval_jaxpr find_top_trace gensym jaxprs_in_params
            literalable_types max_dim min_dim new_jaxpr_eqn no_axis_name
            pytype_aval_mappings trace_ctx
        """,
        "jax.custom_derivatives": """
            custom_jvp_call_p custom_vjp_call_p linear_call remat_opt_p
        """,
        "jax.errors": """
            JaxprTypeError
        """,
        "jax.experimental": """
            EArray cur_qdd primal_tangent_dtype
        """,
        "jax.experimental.multihost_utils": """
            ProcessFailureError live_devices
        """,
        "jax.experimental.pallas": """
            BlockDim Blocked BoundedSlice Buffered CompilerParams DeviceIdType
            Element HOST Indirect MemoryRef RevisitMode Squeezed align_to
            broadcast_to core_map debug_check delay empty empty_like empty_ref_like
            enable_debug_checks enable_poison_buffers estimate_cost get_global
            kernel lower_as_mlir next_power_of_2 pallas_call_p
            pallas_export_experimental reciprocal run_scoped run_state select_ref
            semaphore semaphore_read semaphore_signal semaphore_wait
            strides_from_shape with_scoped
        """,
        "jax.extend.backend": """
            backend_xla_version clear_in_memory_compilation_cache get_compile_options
            get_default_device ifrt_proxy register_backend_cache
            register_backend_factory
        """,
        "jax.extend.core": """
            AbstractToken CallPrimitive DebugInfo JaxprTypeError TraceTag check_jaxpr
            find_top_trace gensym jaxpr_as_fun jaxprs_in_params new_jaxpr_eqn
            set_current_trace subjaxprs take_current_trace
        """,
        "jax.extend.core.primitives": """
            abs_p acos_p acosh_p add_jaxvals_p add_p after_all_p all_gather_p
            all_to_all_p and_p approx_top_k_p argmax_p argmin_p asin_p asinh_p atan2_p
            atan_p atanh_p axis_index_p bessel_i0e_p bessel_i1e_p
            bitcast_convert_type_p broadcast_in_dim_p call_p cbrt_p ceil_p cholesky_p
            clamp_p closed_call_p clz_p complex_p concatenate_p cond_p conj_p
            conv_general_dilated_p convert_element_type_p copy_p cos_p cosh_p
            create_token_p cumlogsumexp_p cummax_p cummin_p cumprod_p cumsum_p
            custom_jvp_call_p custom_lin_p custom_vjp_call_p device_put_p digamma_p
            div_p dot_general_p dynamic_slice_p dynamic_update_slice_p eig_p eigh_p
            empty2_p eq_p eq_to_p erf_inv_p erf_p erfc_p exp2_p exp_p expm1_p fft_p
            floor_p gather_p ge_p get_p gt_p hessenberg_p householder_product_p
            igamma_grad_a_p igamma_p igammac_p imag_p integer_pow_p iota_p is_finite_p
            jit_p le_p le_to_p lgamma_p linear_solve_p log1p_p log_p logistic_p lt_p
            lt_to_p lu_p max_p min_p mul_p name_p ne_p neg_p nextafter_p not_p or_p
            pad_p pmax_p pmin_p polygamma_p population_count_p pow_p ppermute_p psum_p
            qr_p ragged_all_to_all_p random_bits_p random_fold_in_p random_gamma_p
            random_seed_p random_split_p real_p reduce_and_p reduce_max_p reduce_min_p
            reduce_or_p reduce_p reduce_precision_p reduce_prod_p reduce_sum_p
            reduce_window_max_p reduce_window_min_p reduce_window_p
            reduce_window_sum_p reduce_xor_p regularized_incomplete_beta_p rem_p
            remat_p reshape_p rev_p rng_bit_generator_p rng_uniform_p round_p rsqrt_p
            scan_p scatter_add_p scatter_max_p scatter_min_p scatter_mul_p scatter_p
            schur_p select_and_gather_add_p select_and_scatter_add_p
            select_and_scatter_p select_n_p sharding_constraint_p shift_left_p
            shift_right_arithmetic_p shift_right_logical_p sign_p sin_p sinh_p slice_p
            sort_p sqrt_p square_p squeeze_p stop_gradient_p sub_p svd_p swap_p tan_p
            tanh_p threefry2x32_p top_k_p transpose_p triangular_solve_p tridiagonal_p
            tridiagonal_solve_p while_p xor_p zeta_p
        """,
        "jax.extend.linear_util": """
            StoreException cache merge_linear_aux transformation transformation2
            transformation_with_aux transformation_with_aux2
        """,
        "jax.extend.random": """
            random_seed threefry2x32_p threefry_2x32
        """,
        "jax.extend.source_info_util": """
            NameStack SourceInfo current_name_stack new_name_stack new_source_info
            reset_name_stack set_name_stack transform_name_stack user_context
        """,
        "jax.interpreters.ad": """
            add_jaxvals add_jaxvals_p add_tangents get_primitive_transpose jvp
            linearize
        """,
        "jax.interpreters.batching": """
            register_vmappable unregister_vmappable
        """,
        "jax.interpreters.mlir": """
            AxisContext ConstantHandler DEVICE_TO_DEVICE_TYPE LoweringParameters
            LoweringResult LoweringRule LoweringRuleContext Mesh MeshAxisName
            ModuleContext RECV_FROM_HOST_TYPE SEND_TO_HOST_TYPE SPMDAxisContext
            ShapePolyLoweringState ShardingContext Token TokenSet Value
            aval_to_ir_type aval_to_ir_types core_call_lowering dense_int_array
            dense_int_elements dtype_to_ir_type emit_python_callback flatten_ir_types
            flatten_ir_values i32_attr i64_attr ir ir_attribute ir_constant
            ir_constants ir_tree_registry ir_type_handlers jaxpr_subcomp
            lower_jaxpr_to_fun lower_jaxpr_to_module lowerable_effects make_ir_context
            merge_mlir_modules module_to_bytecode module_to_string
            register_constant_handler shape_tensor token_type
            unflatten_ir_values_like_types
        """,
        "jax.interpreters.partial_eval": """
            Val dce_jaxpr dce_jaxpr_call_rule dce_jaxpr_closed_call_rule
            dce_jaxpr_consts trace_to_jaxpr_dynamic
        """,
        "jax.interpreters.pxla": """
            ArrayMapping Index MeshAxisName MeshComputation MeshExecutable
            are_hlo_shardings_equal array_mapping_to_axis_resources
            create_compile_options global_aval_to_result_handler
            global_avals_to_results_handler global_result_handlers
            is_hlo_sharding_replicated op_sharding_to_indices
        """,
        "jax.interpreters.xla": """
            Backend apply_primitive
        """,
        "jax.lax": """
            abs_p acos_p acosh_p add_p after_all_p all_gather_p all_to_all_p and_p
            approx_top_k_p argmax_p argmin_p asin_p asinh_p atan2_p atan_p atanh_p
            axis_index_p bessel_i0e_p bessel_i1e_p bitcast_convert_type_p
            broadcast_in_dim_p cbrt_p ceil_p clamp_p clz_p complex_p concatenate_p
            cond_p conj_p conv_general_dilated_p convert_element_type_p copy_p cos_p
            cosh_p create_token_p cumlogsumexp_p cummax_p cummin_p cumprod_p cumsum_p
            dce_sink_p device_put_p digamma_p div_p dot_general_p dynamic_slice_p
            dynamic_update_slice_p eq_p eq_to_p erf_inv_p erf_p erfc_p exp2_p exp_p
            expm1_p fft_p floor_p gather_p ge_p gt_p igamma_grad_a_p igamma_p
            igammac_p imag_p integer_pow_p iota_p is_finite_p le_p le_to_p lgamma_p
            linear_solve_p log1p_p log_p logistic_p lt_p lt_to_p max_p min_p mul_p
            mulhi_p ne_p neg_p nextafter_p not_p optimization_barrier_p or_p pad_p
            pmax_p pmin_p polygamma_p population_count_p pow_p ppermute_p psum_p
            ragged_all_to_all_p real_p reduce_and_p reduce_max_p reduce_min_p
            reduce_or_p reduce_p reduce_precision_p reduce_prod_p reduce_sum_p
            reduce_window_max_p reduce_window_min_p reduce_window_p
            reduce_window_sum_p reduce_xor_p regularized_incomplete_beta_p rem_p
            reshape_p rev_p rng_bit_generator_p rng_uniform_p round_p rsqrt_p scan_p
            scatter_add_p scatter_max_p scatter_min_p scatter_mul_p scatter_p
            scatter_sub_p select_and_gather_add_p select_and_scatter_add_p
            select_and_scatter_p select_n_p sharding_constraint_p shift_left_p
            shift_right_arithmetic_p shift_right_logical_p sign_p sin_p sinh_p slice_p
            sort_p split_p sqrt_p square_p squeeze_p stack_p stage_p stop_gradient_p
            sub_p tan_p tanh_p tile_p top_k_p transpose_p unstack_p while_p xor_p
            zeta_p
        """,
        "jax.lax.linalg": """
            cholesky_p cholesky_update_p eig_p eigh_p hessenberg_p
            householder_product_p lu_p lu_pivots_to_permutation_p ormqr_p qr_p schur_p
            svd_p symmetric_product_p triangular_solve_p tridiagonal_p
            tridiagonal_solve_p
        """,
        "jax.numpy": """
            int1 uint1
        """,
        "jax.profiler": """
            ProfileData ProfileEvent ProfilePlane register_subprocess
        """,
        "jax.random": """
            random_gamma_p
        """,
        "jax.sharding": """
            ManualAxisType
        """,
        "jax.stages": """
            CompilerOptions
        """,
    }.items()
}

# Parts of names, and what a program can do without them.
REMEDIES = (
    (
        ("_p", "Primitive", "primitive", "axpr", "interpreters", "extend.core", "jax.core", "mlir"),
        "programs are the compiler's IR, not jaxprs: write rules with custom_jvp, custom_vjp or "
        "custom_vmap, and look at programs with jax.make_jaxpr(f)(x) as text",
    ),
    (("pallas", "mosaic"), "kernels are the compiler's: write the computation with jax.numpy"),
    (("jax2tf",), "export the function with dovetail.export"),
    (("sparse",), "use dense arrays"),
    (("checkify",), "use jax.debug.callback, or the setting jax_debug_nans"),
)
