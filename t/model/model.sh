#!/bin/sh
# model.sh - the protocol under every interleaving, at a size of seconds.
# SPDX-License-Identifier: MIT
#
# `make check-model` does the same at full size. What is explored: t/model/cases.
exec sh "${top_srcdir:-.}/t/model/run.sh" small "${top_builddir:-.}/t/model"
