# Installs the build, builds a project that embeds it, and runs that.
# BUILD, SOURCE, WORK, C_COMPILER, CXX_COMPILER are given with -D.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/test/Install/consumer -B ${WORK}/build
  -DCMAKE_PREFIX_PATH=${WORK}/installed -DCMAKE_C_COMPILER=${C_COMPILER}
  -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer ${SOURCE}/test/Integration/Inputs/mlp.mlir)
if(NOT output MATCHES "ckpt.barrier")
  message(FATAL_ERROR "nothing was recomputed:\n${output}")
endif()
file(REMOVE_RECURSE ${WORK})
