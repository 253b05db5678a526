# Functions that declare the project's targets.
#
# Two kinds of library: those on LLVM/MLIR, and plain ones (Planner, Runtime)
# that are not even given LLVM's include directories, so that the rule that they
# stand alone is kept by the compiler.

include(GNUInstallDirs)

# ckpt_add_existing_subdirectories(parent names...): those that exist yet.
function(ckpt_add_existing_subdirectories parent)
  foreach(dir ${ARGN})
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${parent}/${dir}/CMakeLists.txt")
      add_subdirectory("${parent}/${dir}")
    endif()
  endforeach()
endfunction()

separate_arguments(CKPT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# Include directories, definitions and the ABI shim for a target that uses LLVM.
function(ckpt_use_llvm name)
  target_include_directories(${name} SYSTEM PUBLIC
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${name} PUBLIC ${CKPT_LLVM_DEFINITIONS})
  if(NOT LLVM_ENABLE_ASSERTIONS)
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/AbiShim.h>")
  endif()
endfunction()

function(ckpt_project_includes name)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
endfunction()

# ckpt_add_library(NAME srcs... [DEPENDS ...] [CKPT_LIBS ...] [MLIR_LIBS ...])
# A library on MLIR. DEPENDS: tablegen targets.
function(ckpt_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;CKPT_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS} EXCLUDE_FROM_LIBMLIR
    DISABLE_INSTALL DEPENDS mlir-headers ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${ARG_CKPT_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  ckpt_project_includes(${name})
  ckpt_use_llvm(${name})
  if(TARGET obj.${name})
    ckpt_use_llvm(obj.${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY CKPT_EXPORTS ${name})
endfunction()

# ckpt_add_plain_library(NAME [SHARED] srcs... [CKPT_LIBS ...])
# C++ standard library only.
function(ckpt_add_plain_library name)
  cmake_parse_arguments(ARG "SHARED" "" "CKPT_LIBS" ${ARGN})
  set(kind STATIC)
  if(ARG_SHARED)
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  target_link_libraries(${name} PUBLIC ${ARG_CKPT_LIBS})
  ckpt_project_includes(${name})
  set_property(GLOBAL APPEND PROPERTY CKPT_EXPORTS ${name})
endfunction()

# ckpt_add_tool(NAME srcs... [CKPT_LIBS ...] [MLIR_LIBS ...] [PLAIN])
function(ckpt_add_tool name)
  cmake_parse_arguments(ARG "PLAIN" "" "CKPT_LIBS;MLIR_LIBS" ${ARGN})
  if(ARG_PLAIN)
    add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
    ckpt_project_includes(${name})
  else()
    add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
    llvm_update_compile_flags(${name})
    mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
    ckpt_project_includes(${name})
    ckpt_use_llvm(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_CKPT_LIBS})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# ckpt_add_unittest(NAME srcs... [CKPT_LIBS ...] [MLIR_LIBS ...] [PLAIN])
# A gtest program; every test case becomes a test of ctest.
function(ckpt_add_unittest name)
  cmake_parse_arguments(ARG "PLAIN" "" "CKPT_LIBS;MLIR_LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test/unit")
  ckpt_project_includes(${name})
  if(NOT ARG_PLAIN)
    llvm_update_compile_flags(${name})
    mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
    ckpt_use_llvm(${name})
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest_main ${ARG_CKPT_LIBS})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120)
endfunction()
