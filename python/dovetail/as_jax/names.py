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
    jax.experimental.colocated_python.func jax.experimental.colocated_python.serialization
    jax.experimental.compilation_cache jax.experimental.compute_on
    jax.experimental.control_deps jax.experimental.custom_partitioning jax.experimental.fused
    jax.experimental.hijax jax.experimental.jax2tf jax.experimental.jet
    jax.experimental.key_reuse jax.experimental.layout jax.experimental.mesh_utils
    jax.experimental.mosaic jax.experimental.multihost_utils jax.experimental.ode
    jax.experimental.pallas jax.experimental.pallas.fuser jax.experimental.pallas.mosaic_gpu
    jax.experimental.pallas.ops jax.experimental.pallas.tpu jax.experimental.pallas.triton
    jax.experimental.pjit jax.experimental.profiler
    jax.experimental.random jax.experimental.rnn jax.experimental.roofline
    jax.experimental.scheduling_groups jax.experimental.serialize_executable
    jax.experimental.shard_alike jax.experimental.shard_map jax.experimental.source_mapper
    jax.experimental.sparse jax.experimental.sparse.ad jax.experimental.sparse.api
    jax.experimental.sparse.bcoo jax.experimental.sparse.bcsr jax.experimental.sparse.coo
    jax.experimental.sparse.csr
    jax.experimental.sparse.linalg jax.experimental.sparse.random
    jax.experimental.sparse.transform jax.experimental.sparse.util
    jax.experimental.topologies jax.experimental.transfer
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
    jax.lax.linalg jax.lib jax.monitoring jax.nn jax.nn.initializers jax.numpy
    jax.numpy.fft jax.numpy.linalg jax.ops jax.profiler jax.random jax.ref jax.scipy
    jax.scipy.cluster jax.scipy.cluster.vq jax.scipy.fft jax.scipy.integrate jax.scipy.interpolate
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

# Folders whose modules are not all listed: of the others, none is here.
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
    "jax._src.callback": "dovetail.transforms.callbacks",
    "jax._src.checkify": "dovetail.experimental.checkify",
    "jax._src.custom_batching": "dovetail.custom_batching",
    "jax._src.custom_derivatives": "dovetail.custom_derivatives",
    "jax._src.debugger": "dovetail.debug",
    "jax._src.debugging": "dovetail.debug",
    "jax._src.dlpack": "dovetail.dlpack",
    "jax._src.errors": "dovetail.errors",
    "jax._src.export": "dovetail.export",
    "jax._src.flatten_util": "dovetail.flatten_util",
    "jax._src.image": "dovetail.image",
    "jax._src.interpreters.batching": "dovetail.as_jax.jax.interpreters.batching",
    "jax._src.interpreters.mlir": "dovetail.as_jax.jax.interpreters.mlir",
    "jax._src.interpreters.partial_eval": "dovetail.as_jax.jax.interpreters.partial_eval",
    "jax._src.interpreters.pxla": "dovetail.as_jax.jax.interpreters.pxla",
    "jax._src.interpreters.xla": "dovetail.as_jax.jax.interpreters.xla",
    "jax._src.lax": "dovetail.lax",
    "jax._src.random.threefry2x32": "dovetail.as_jax.jax._src.threefry2x32",
    "jax._src.lax.control_flow": "dovetail.lax",
    "jax._src.lax.lax": "dovetail.lax",
    "jax._src.lax.linalg": "dovetail.lax.linalg",
    "jax._src.lax.parallel": "dovetail.lax",
    "jax._src.lax.slicing": "dovetail.lax",
    "jax._src.lax.windowed_reductions": "dovetail.lax",
    "jax._src.lib": "dovetail.as_jax.jaxlib",
    "jax._src.lib.xla_client": "dovetail.as_jax.jaxlib.xla_client",
    "jax._src.mesh_utils": "dovetail.experimental.mesh_utils",
    "jax._src.monitoring": "dovetail.monitoring",
    "jax._src.named_sharding": "dovetail.placement.named_sharding",
    "jax._src.nn": "dovetail.nn",
    "jax._src.nn.functions": "dovetail.nn",
    "jax._src.nn.initializers": "dovetail.as_jax.initializers",
    "jax._src.numpy": "dovetail.numpy",
    "jax._src.numpy.array_constructors": "dovetail.numpy",
    "jax._src.numpy.array_creation": "dovetail.numpy",
    "jax._src.numpy.einsum": "dovetail.numpy",
    "jax._src.numpy.fft": "dovetail.numpy.fft",
    "jax._src.numpy.index_tricks": "dovetail.numpy",
    "jax._src.numpy.lax_numpy": "dovetail.numpy",
    "jax._src.numpy.linalg": "dovetail.numpy.linalg",
    "jax._src.numpy.polynomial": "dovetail.numpy",
    "jax._src.numpy.reductions": "dovetail.numpy",
    "jax._src.numpy.scalar_types": "dovetail.numpy",
    "jax._src.numpy.setops": "dovetail.numpy",
    "jax._src.numpy.sorting": "dovetail.numpy",
    "jax._src.numpy.tensor_contractions": "dovetail.numpy",
    "jax._src.numpy.ufunc_api": "dovetail.numpy",
    "jax._src.numpy.ufuncs": "dovetail.numpy",
    "jax._src.numpy.util": "dovetail.as_jax.promotion",
    "jax._src.numpy.vectorize": "dovetail.numpy",
    "jax._src.numpy.window_functions": "dovetail.numpy",
    "jax._src.ops": "dovetail.ops",
    "jax._src.ops.scatter": "dovetail.ops",
    "jax._src.pallas": "dovetail.experimental.pallas",
    "jax._src.pallas.pallas_call": "dovetail.experimental.pallas",
    "jax._src.partition_spec": "dovetail.placement.partition_spec",
    "jax._src.profiler": "dovetail.profiler",
    "jax._src.random": "dovetail.random",
    "jax._src.random.core": "dovetail.random",
    "jax._src.scipy": "dovetail.scipy",
    "jax._src.scipy.sparse": "dovetail.scipy.sparse",
    "jax._src.scipy.sparse.linalg": "dovetail.scipy.sparse.linalg",
    "jax._src.scipy.special": "dovetail.scipy.special",
    "jax._src.shard_map": "dovetail",
    "jax._src.stages": "dovetail.stages",
    "jax._src.test_util": "dovetail.test_util",
    # Deprecated modules.
    "jax.experimental.pjit": "dovetail.as_jax.deprecated.pjit",
    "jax.experimental.shard_map": "dovetail.as_jax.deprecated.shard_map",
}

# The modules of MLIR's bindings, under the names of the packages that have them.
_OF_MLIR = {
    "": "dovetail.as_jax.mlir",
    ".dialects": "dovetail.as_jax.mlir.dialects",
    ".dialects.chlo": "dovetail.as_jax.mlir.dialects.chlo",
    ".dialects.hlo": "dovetail.as_jax.mlir.dialects.stablehlo",
    ".dialects.stablehlo": "dovetail.as_jax.mlir.dialects.stablehlo",
    ".ir": "iree.compiler.ir",
    ".passmanager": "iree.compiler.passmanager",
    **{
        f".dialects.{name}": f"iree.compiler.dialects.{name}"
        for name in ("arith", "builtin", "func", "math", "memref", "scf", "vector")
    },
}
for _package in ("jax._src.lib.mlir", "jax.extend.mlir", "jaxlib.mlir"):
    ALIASES.update({f"{_package}{name}": module for name, module in _OF_MLIR.items()})

# Names that modules here lack, by their module. A module that is not here lacks all; internal ones
# are listed if libraries import them.
MISSING = {
    module: frozenset(text.split())
    for module, text in {
        "jax._src.ad_util": """
            stop_gradient_p
        """,
        "jax._src.checkify": """
            Out
        """,
        "jax._src.core": """
            CallPrimitive call_p full_lower physical_aval
        """,
        "jax._src.cudnn": "",
        "jax._src.earray": """
            EArray
        """,
        "jax._src.pretty_printer": """
            text
        """,
        "jax.ad_checkpoint": """
            Offloadable Recompute Saveable
        """,
        "jax.api_util": """
            argnums_partial donation_vector rebase_donate_argnums
        """,
        "jax.core": """
            CallPrimitive JaxprPpContext JaxprPpSettings JaxprTypeError
            OutputType abstract_token aval_mapping_handlers call
            concretization_function_error custom_typechecks literalable_types max_dim
            min_dim no_axis_name trace_ctx
        """,
        "jax.custom_derivatives": """
            remat_opt_p
        """,
        "jax.experimental": """
            EArray cur_qdd primal_tangent_dtype
        """,
        "jax.experimental.compute_on": """
            compute_on2
        """,
        "jax.experimental.custom_partitioning": """
            custom_partitioning_p
        """,
        "jax.experimental.multihost_utils": """
            ProcessFailureError live_devices
        """,
        "jax.experimental.pallas": """
            BlockDim BoundedSlice DeviceIdType Indirect MemoryRef
            RevisitMode core_map debug_check delay empty empty_like
            empty_ref_like enable_debug_checks enable_poison_buffers
            get_global kernel lower_as_mlir pallas_call_p
            pallas_export_experimental run_state select_ref semaphore
            semaphore_read semaphore_signal semaphore_wait
            strides_from_shape with_scoped
        """,
        "jax.experimental.ode": """
            api_util ravel_first_arg
        """,
        "jax.experimental.pallas.tpu": """
            BufferType BufferedRef BufferedRefBase ChipVersion CoreType
            LoweringException SideEffectType Tiling TpuInfo
            async_remote_copy bitcast core core_barrier
            create_tensorcore_mesh dma_semaphore einshape emit_pipeline
            emit_pipeline_with_allocations force_tpu_interpret_mode
            get_barrier_semaphore get_tpu_info get_tpu_info_for_chip
            is_tpu_device make_async_remote_copy matmul_acc_lhs matmul_pop
            matmul_push_rhs pack_elementwise prng_random_bits prng_seed
            reset_tpu_interpret_mode_state run_on_first_core sample_block
            set_tpu_interpret_mode stateful_bernoulli stateful_bits
            stateful_normal stateful_uniform stochastic_round to_pallas_key
            touch trace_value unpack_elementwise
        """,
        "jax.experimental.pallas.triton": """
            atomic_and atomic_or atomic_xor elementwise_inline_asm
        """,
        "jax.experimental.sparse": """
            SparseTracer
        """,
        "jax.experimental.sparse.ad": """
            flatten_fun_for_sparse_ad
        """,
        "jax.experimental.sparse.bcsr": """
            BCSRProperties bcsr_eliminate_zeros
        """,
        "jax.experimental.sparse.linalg": """
            spsolve_p
        """,
        "jax.experimental.sparse.transform": """
            SparseTrace SparseTracer SparsifyEnv SparsifyValue arrays_to_spvalues eval_sparse
            sparsify_fun sparsify_raw spvalues_to_arrays spvalues_to_avals
        """,
        "jax.experimental.sparse.util": """
            broadcasting_vmap nfold_vmap
        """,
        "jax.extend.backend": """
            backend_xla_version clear_in_memory_compilation_cache get_compile_options
            get_default_device ifrt_proxy register_backend_cache
            register_backend_factory
        """,
        "jax.extend.core": """
            AbstractToken CallPrimitive JaxprTypeError
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
            add_jaxvals jvp linearize
        """,
        "jax.interpreters.batching": """
            register_vmappable unregister_vmappable
        """,
        "jax.interpreters.mlir": """
            AxisContext ConstantHandler DEVICE_TO_DEVICE_TYPE LoweringParameters
            LoweringResult LoweringRule Mesh MeshAxisName ModuleContext
            RECV_FROM_HOST_TYPE SEND_TO_HOST_TYPE SPMDAxisContext
            ShapePolyLoweringState ShardingContext Token TokenSet Value
            core_call_lowering ir_tree_registry ir_type_handlers jaxpr_subcomp
            lower_jaxpr_to_fun lower_jaxpr_to_module lowerable_effects merge_mlir_modules
            module_to_bytecode register_constant_handler token_type
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
        "jax.numpy": """
            int1 uint1
        """,
        "jax.profiler": """
            ProfileData ProfileEvent ProfilePlane register_subprocess
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
        "jaxprs are views of the compiler's IR, whose equations are its ops: look at what there is "
        "with jax.make_jaxpr(f)(x), and make operations with jax.extend.core.Primitive",
    ),
    (
        ("pallas", "mosaic"),
        "write the kernel with what jax.experimental.pallas has, or the computation with jax.numpy",
    ),
    (("jax2tf",), "export the function with dovetail.export"),
    (("sparse",), "use the functions of jax.experimental.sparse, which are no primitives"),
)
