# make demo, make test, make fuzz, make bench, make clean.
# Needs GNU make and Python 3.11 or newer with its venv module.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test fuzz bench clean

help:
	@echo 'make demo    show the tool at work on examples/'
	@echo 'make test    run every check: lint, types, tests, package, recorded cases'
	@echo 'make fuzz    try made-up files and trees; for how long: SECONDS=3600'
	@echo 'make bench   measure it beside its peers: long, and a quick look with BENCH=--quick'
	@echo 'make clean   remove what the above made'
	@echo 'Another interpreter: make PYTHON=python3.12 ...'

# $(call run,STATUS,ARGUMENTS): print a command, run it, insist on its exit status.
TOOL := INSOMNIA_CONFIG_DIR=examples/config $(BIN)/insomnia-skills
IN := --workspace examples/workspace
define run
@printf '\n$$ %s\n' '$(TOOL) $(2)'; \
status=0; $(TOOL) $(2) || status=$$?; \
if [ $$status -ne $(1) ]; then echo "exit status $$status, expected $(1)" >&2; exit 1; fi
endef

demo: $(VENV)/tool
	$(call run,0,list $(IN))
	$(call run,1,validate $(IN))
	$(call run,0,resolve $(IN))
	$(call run,0,show /review $(IN))
	$(call run,0,resolve /review --diff $(IN))
	$(call run,0,catalog $(IN))
	$(call run,0,scope $(IN))
	$(call run,0,sources discover $(IN))

test: $(VENV)/nox
	$(BIN)/nox --parallel auto

SECONDS ?= 300
fuzz: $(VENV)/nox
	$(BIN)/nox -s fuzz -- --seconds $(SECONDS) --jobs 2 $(FUZZ)

bench:
	$(PYTHON) -m benchmarks.run $(BENCH)

# Each stamp says that something is in the environment, as of this pyproject.toml.
# The tool is installed as its users have it, so its sources count too.
$(VENV)/tool: $(VENV)/python pyproject.toml $(shell find insomnia_skills -name '*.py')
	$(BIN)/pip install --quiet .
	@touch $@

$(VENV)/nox: $(VENV)/python pyproject.toml
	$(BIN)/pip install --quiet --group nox
	@touch $@

# Dependency groups need pip 25.1; a new environment has the pip of its Python.
$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'This needs Python 3.11 or newer, and "$(PYTHON)" is not. Try: make PYTHON=python3.12' >&2; \
	  exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	@touch $@

clean:
	rm -rf $(VENV) .nox .fuzz benchmarks/.work build dist
	rm -rf .coverage* .mypy_cache .pytest_cache .ruff_cache __pycache__
	find insomnia_skills tests -name __pycache__ -prune -exec rm -rf {} +
