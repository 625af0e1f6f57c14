"""The inference engine: models, paged cache, scheduler and sampling on torch."""
