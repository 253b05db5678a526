#!/bin/sh
# A tool that fails and does not say why.
exit 1
