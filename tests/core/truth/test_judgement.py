from hearth.core.judgement import Cited, Judgement, Relation


def test_only_a_sure_clash_with_a_later_one_replaces_and_a_likely_one_is_asked_about() -> None:
    sure = Judgement(Relation.UPDATE, 0.9, "newer")
    likely = Judgement(Relation.CONTRADICTION, 0.5, "newer")
    undecided = Judgement(Relation.CONTRADICTION, 0.95)
    faint = Judgement(Relation.UPDATE, 0.49, "newer")
    alike = Judgement(Relation.SAME, 1.0)
    assert [one.replaces for one in (sure, likely, undecided, faint, alike)] == [True, False, False, False, False]
    assert [one.doubtful for one in (sure, likely, undecided, faint, alike)] == [False, True, True, False, False]


def test_a_verdict_tells_the_words_that_it_rests_on() -> None:
    told = Judgement(Relation.UPDATE, 1.0, "newer", "the port changed", (Cited("newer", "9090"),), "port").to_dict()
    assert told["spans"] == [{"side": "newer", "quote": "9090"}]
    assert (told["relation"], told["attribute"], told["path"]) == ("update", "port", "rules")
