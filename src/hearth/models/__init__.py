"""Adapters of embedders, rerankers and language models."""
