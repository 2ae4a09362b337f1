words := help up test build install test-contract check bench fuzz fault tsan clean
.PHONY: $(words)
$(words): ; @./dev $@ $(ARGS)
