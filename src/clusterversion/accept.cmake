# Accepting an update: the judgements and the values they are about (pure, over graph besides what
# clusterversion_decide has), where payloads and signatures come from (I/O, over oci, http and async), and the tests of
# both (over oci_testing).
set(FAIRWAY_ACCEPT_PURE
  acceptance.cpp
  acceptance_upstream.cpp
  accepted_risks.cpp
  cluster_id.cpp
  history.cpp
  manifest_state.cpp
  payload.cpp
  payload_manifests.cpp
  preconditions.cpp
  signature.cpp
)
set(FAIRWAY_ACCEPT_IO
  payload_source.cpp
)
set(FAIRWAY_ACCEPT_TESTS
  acceptance_test.cpp
  accepted_risks_test.cpp
  history_test.cpp
  manifest_state_test.cpp
  payload_source_test.cpp
  payload_test.cpp
  preconditions_test.cpp
  signature_test.cpp
)
