"""Words of `std.data` that make sources of sources: parts, choices of samples, stores."""

from __future__ import annotations

from repc.words.declare import Parameter, Word

_OF = Parameter("of", "value", doc="the source", by_position=True)
_BY = Parameter("by", "text", "label", "the field that says of which class a sample is")
_PER_CLASS = Parameter("per_class", "int", doc="at most so many samples of every class")

PORTIONS = (
    Word(
        "split",
        "portion",
        "std.data",
        (
            _OF,
            Parameter("by", "text", "label", "the field whose values are cut into runs, or `dirichlet_labels(a)`"),
            Parameter("sizes", "labels", None, "how many values of it each part has"),
            Parameter("parts", "int", None, "how many parts, where `by` is a law of shares"),
            Parameter("relabel", "dim", None, "the dim that the labels of every part count anew, from 0"),
        ),
        "A source in parts, in order: `tasks[t]` is one, `for t in tasks` runs through them, `g[t in tasks]` is a "
        "family over them.",
        "data d = digits(), tasks = split(d, by: label, sizes: (4, 2, 2, 2))",
    ),
    Word(
        "dirichlet_labels",
        "portion",
        "std.data",
        (Parameter("alpha", "number", doc="small: most samples of a label lie in few parts", by_position=True),),
        "Every label is shared among the parts by proportions of its own, drawn from Dirichlet(alpha).",
        "data shards = split(digits(), by: dirichlet_labels(0.3), parts: 4)",
        "",
        "Hsu et al. 2019",
    ),
    Word(
        "buffer",
        "portion",
        "std.data",
        (
            Parameter("size", "int", doc="most samples that it holds", by_position=True),
            Parameter("like", "value", doc="the source whose samples it takes"),
        ),
        "A store of samples, empty at first: a cell that is a source. `bank + d` is both as one source.",
        "state bank = buffer(50, like: d)",
    ),
    Word(
        "pick",
        "portion",
        "std.data",
        (_OF, _PER_CLASS, _BY),
        "A few samples of every class, the same in every run.",
        "at end { bank := bank + pick(tasks[t], per_class: 5) }",
    ),
    Word(
        "herd",
        "portion",
        "std.data",
        (_OF, Parameter("by", "value", doc="the model whose features are compared"), _PER_CLASS),
        "A few samples of every class whose mean feature is nearest to the mean of the class, taken one by one.",
        "at end { bank := herd(bank + tasks[t], by: f, per_class: 5) }",
        "",
        "Rebuffi et al. 2017",
    ),
    Word(
        "episodes",
        "portion",
        "std.data",
        (
            _OF,
            Parameter("ways", "dim", doc="the dim of the classes of an episode"),
            Parameter("shots", "int", 1, "samples of each class in the support"),
            Parameter("queries", "int", 1, "samples that are asked about"),
            _BY,
        ),
        "Few-shot episodes: a support `s` of a few classes, queries `x`, and the place `y` of their class in the "
        "support. The classes of `.valid` and `.test` are in no episode of `.train`.",
        "data d = episodes(digits(turns: 8), ways: W, shots: 1, queries: 6)",
        "",
        "Vinyals et al. 2016",
    ),
    Word(
        "classes",
        "portion",
        "std.data",
        (_OF, _BY),
        "Which classes a source has, over all of them: `[C] of bool`.",
        "new = classes(tasks[t])",
    ),
)
