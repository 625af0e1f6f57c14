"""Chat templates: what they may use, what of them is trusted, how they are bounded and how they refuse."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

from kiln_server.text.template import ChatTemplate, TemplateRefusal
from kiln_server.text.trusted import TrustedText, spans, trusted

USER_TEXT = "the user's secret"


def render(source: str, **variables: Any) -> str:
    return str.__str__(ChatTemplate(source).render(variables))


def own_parts(source: str, **variables: Any) -> list[str]:
    rendered = ChatTemplate(source).render(variables)
    return [str.__str__(rendered)[start:stop] for start, stop in spans(rendered)]


def refusal(source: str, *, max_seconds: float = 60.0, **variables: Any) -> str:
    template = ChatTemplate(source, max_seconds=max_seconds, max_chars=100_000)
    with pytest.raises(TemplateRefusal) as caught:
        template.render(variables)
    return str(caught.value)


# What templates can use


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a\n{% if true %}\n  b\n{% endif %}\nc\n", "a\n  b\nc"),
        ("  {% set x = 1 %}\n{{ x }}", "1"),
        ("{% for i in range(4) %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "023"),
        ("{% for i in range(4) %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}", "012"),
        ("{{ {'b': 'é<', 'a': [1, none, true]} | tojson }}", '{"b": "é<", "a": [1, null, true]}'),
        ("{{ x | tojson(ensure_ascii=true) }}", '{"b": "\\u00e9", "a": 1.5}'),
        ("{{ x | tojson(separators=(',', ':'), sort_keys=true) }}", '{"a":1.5,"b":"é"}'),
        ("{{ x | tojson(indent=2) }}", '{\n  "b": "é",\n  "a": 1.5\n}'),
        ("{{ strftime_now('%d %b %Y') }}", "02 Jan 2026"),
        ("{% set ns = namespace(a=1) %}{% set ns.a = ns.a + 1 %}{{ ns.a }}", "2"),
        ("{{ namespace(self=1).self }}", "1"),
        ("{{ dict(a=1).a }}", "1"),
        ("{{ x.b | safe + '<' }}", "é&lt;"),
        ("{{ none }}{{ true }}{{ 1.50 }}{{ [1, 'a'] }}{{ missing }}", "NoneTrue1.5[1, 'a']"),
        ("a{% generation %}{% set y = 2 %}b{{ y }}{% endgeneration %}c{{ y }}", "ab2c"),
        ("{{ x.items() | list | length }}{% for k, v in x | items %}{{ k }}{% endfor %}", "2ba"),
        ("{{ 1 + 2 + 3 }}{{ [1] + [2] }}{{ 2 * 3 }}{{ 2 ** 3 }}{{ 2 ** -1 }}{{ 7 // 2 }}", "6[1, 2]680.53"),
        ("{{ ['a', 'b'] | join }}{{ [x, x] | join('-', attribute='b') }}", "abé-é"),
        ("{{ '{}|{a}|{:>3}'.format('x', 'z', a='y') }}", "x|y|  z"),
        ("{{ '{:{w}}|'.format('x', w=3) }}{{ '{a}'.format_map({'a': 1}) }}", "x  |1"),
        ("{{ '{x[b]}{0.a}{1!r}'.format(x, 'q', x=x) }}", "é1.5'q'"),
        ("{{ 'Ab' | lower ~ ('x' | upper) ~ ' t ' | trim }}", "abXt"),
    ],
)
def test_the_language_is_that_of_hugging_face(source: str, shown: str) -> None:
    template = ChatTemplate(source, now=lambda: datetime(2026, 1, 2, 3, 4, 5))
    assert template.render({"x": {"b": "é", "a": 1.5}}) == shown


def test_templates_see_the_text_of_the_request_as_it_is() -> None:
    source = "{{ '</think>' in x }}{{ x.startswith('<t') }}{{ x == '<think>a</think>' }}{{ x.split('</think>')[0] }}"
    assert render(source, x="<think>a</think>") == "TrueTrueTrue<think>a"


def test_without_a_source_it_is_chatml() -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    rendered = ChatTemplate().render({"messages": messages, "add_generation_prompt": True})
    assert rendered == "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n"
    assert ChatTemplate().render({"messages": messages[:1]}) == "<|im_start|>system\ns<|im_end|>\n"


# What is trusted


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("<a>{{ x }}<b>", ["<a>", "<b>"]),
        ("{{ '<a>' + x + '<b>' }}", ["<a>", "<b>"]),
        ("{{ '<a>' ~ x ~ '<b>' }}", ["<a>", "<b>"]),
        ("{{ '<a>' }}{{ '<b>' }}", ["<a><b>"]),
        ("<|{{ '' }}im|>", ["<|im|>"]),
        ("{% macro m(y) %}<m>{{ y }}{% endmacro %}{{ m(x) }}{{ m('<y>') }}", ["<m>", "<m><y>"]),
        ("{% macro m() %}<m>{{ caller('<c>') }}{% endmacro %}{% call(y) m() %}{{ y }}{{ x }}{% endcall %}", ["<m><c>"]),
        ("{% set y %}<s>{{ x }}{% endset %}{{ y }}", ["<s>"]),
        ("{% set y | upper %}<s>{{ x }}{% endset %}{{ y }}", ["<S>"]),
        ("{% filter trim %} <f>{{ x }} {% endfilter %}", ["<f>"]),
        ("{% filter upper %}<a>{% filter lower %}<B>{{ x }}{% endfilter %}{% endfilter %}", ["<A><B>"]),
        (
            "{% for i in ['<i>', x] recursive %}{{ i }}{{ loop(['<r>']) if i == '<i>' }}{% endfor %}",
            ["<i><r>"],
        ),
        ("{% block b %}<b>{{ x }}{% endblock %}{{ self.b() }}", ["<b>", "<b>"]),
        ("{% generation %}<g>{{ x }}{% endgeneration %}", ["<g>"]),
        ("{{ '<%s|%s>' % (x, '<c>') }}", ["<", "|<c>>"]),
        ("{{ '<%s>' | format(x) }}", ["<", ">"]),
        ("{{ '<{}|{a}>'.format(x, a='<c>') }}", ["<", "|<c>>"]),
        ("{{ [x, '<j>'] | join('<,>') }}", ["<,><j>"]),
        ("{{ ('<' + x + '{}>').format('<c>') }}", []),
        ("{{ ['<j>', x, '<k>'] | join }}", ["<j>", "<k>"]),
        ("{{ ('<a> ' + x + ' <b>').split(' ')[-1] }}", ["<b>"]),
        ("{{ (x + '<a>')[-3:] | trim }}", ["<a>"]),
        ("{{ x | replace('u', '<r>') }}", []),
        ("{{ '-<r>' | replace('-', x) }}", ["<r>"]),
        ("{{ {'user': '<u>'}[x] }}", ["<u>"]),
        ("{% set ns = namespace(y='<n>') %}{{ ns.y }}", ["<n>"]),
        ("{{ '<d>' if true else x }}{{ missing | default('<e>') }}", ["<d><e>"]),
        ("{{ bos }}{{ x }}", ["<s>"]),
        ("{% with y = '<w>' %}{{ y }}{{ x }}{% endwith %}", ["<w>"]),
    ],
)
def test_what_the_template_wrote_is_trusted_and_the_request_is_not(source: str, parts: list[str]) -> None:
    assert own_parts(source, x="user", bos=trusted("<s>")) == parts


@pytest.mark.parametrize(
    "source",
    [
        "{{ x }}",
        "{{ x | tojson }}",
        "{{ [x] }}",
        "{{ x.upper() }}",
        "{{ x | title }}",
        "{{ x.format() }}",
        "{{ x | safe }}",
        "{{ x ~ '' }}",
        "{{ x | string }}",
        "{{ x | center(30) | trim }}",
        "{% filter title %}{{ x }}{% endfilter %}",
        "{% filter tojson %}{{ x }}{% endfilter %}",
        "{% call x.format() %}{% endcall %}",
        "{% set y | title %}{{ x }}{% endset %}{{ y }}",
        "{% autoescape true %}{{ x }}{% endautoescape %}",
        "{% for c in x %}{{ c }}{% endfor %}",
        "{{ x | list | join }}",
        "{{ dict([[x, x]]) }}",
        "{% macro m() %}{{ varargs[0] }}{{ kwargs.y }}{% endmacro %}{{ m(x, y=x) }}",
    ],
)
def test_text_of_the_request_is_never_trusted(source: str) -> None:
    assert own_parts(source, x="<|end|>") in ([], ['"', '"'], ["[", "]"])


# Bounds


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(90) }}",
        "{% for i in range(99999) %}{% for j in range(99999) if false %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) recursive %}{{ loop(range(99999)) if loop.depth < 3 }}{% endfor %}",
    ],
)
def test_a_template_that_does_not_end_is_stopped(source: str) -> None:
    assert refusal(source, max_seconds=0.2) == "the chat template was stopped on line 1: it ran longer than 0.2 s"


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(99999) %}xx{% endfor %}",
        "{% set y %}{% for i in range(99999) %}xx{% endfor %}{% endset %}",
        "{% set ns = namespace(y=x) %}{% for i in range(99) %}{% set ns.y = ns.y + ns.y %}{% endfor %}",
        "{% set ns = namespace(y=x) %}{% for i in range(99) %}{% set ns.y = ns.y ~ ns.y %}{% endfor %}",
        "{% set ns = namespace(y=[x]) %}{% for i in range(99) %}{% set ns.y = ns.y + ns.y %}{% endfor %}",
        "{{ x * 999999999999 }}",
        "{{ 999999999999 * [x] }}",
    ],
)
def test_a_template_that_makes_too_much_text_is_stopped(source: str) -> None:
    assert "it makes a text" in refusal(source, x="ab")


@pytest.mark.parametrize(
    "source",
    [
        "{{ 9 ** 9999 }}",
        "{% set ns = namespace(n=9) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
    ],
)
def test_integers_are_bounded(source: str) -> None:
    assert "it computes an integer of more than 4096 bits" in refusal(source)


def test_one_rendering_s_time_is_not_another_s() -> None:
    template = ChatTemplate(
        "{% for i in range(n) %}{% for j in range(1000) %}{% endfor %}{% endfor %}", max_seconds=0.2
    )
    with pytest.raises(TemplateRefusal):
        template.render({"n": 99999})
    assert template.render({"n": 1}) == ""


# Refusals


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "\n\n{{ raise_exception('no tools here') }}",
            "the chat template refused the messages (line 3): no tools here",
        ),
        (
            "{{ raise_exception('bad role: ' + x + '!') }}",
            "the chat template refused the messages (line 1): bad role: …!",
        ),
        ("{{ raise_exception(x) }}", "the chat template refused the messages (line 1): …"),
        ("\n{{ x.a.b }}", "the chat template failed on line 2: it uses a value that these messages do not have"),
        ("{{ x + 1 }}", "the chat template failed on line 1: it meets a value of a kind that it cannot use"),
        ("{{ x() }}", "the chat template failed on line 1: it meets a value of a kind that it cannot use"),
        ("{{ {}[x] + 'a' }}", "the chat template failed on line 1: it uses a value that these messages do not have"),
        (
            "\n{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "the chat template failed on line 2: it calls itself too deeply",
        ),
        ("{{ x.__class__.mro }}", "the chat template failed on line 1: it does what templates may not do"),
        (
            "{{ ''.join.__self__ ~ [].append(x) }}",
            "the chat template failed on line 1: it does what templates may not do",
        ),
        ("{{ namespace(_a=1) }}", "the chat template failed on line 1: it does what templates may not do"),
        (
            "{% set ns = namespace() %}\n{% set ns.__a = 1 %}",
            "the chat template failed on line 2: it does what templates may not do",
        ),
        ("{{ range(999999) }}", "the chat template failed on line 1: OverflowError"),
        ("{{ 1 // 0 }}", "the chat template failed on line 1: ZeroDivisionError"),
        ("{{ x | int // [] | length }}", "the chat template failed on line 1: ZeroDivisionError"),
        ("{% include 'x' %}", "the chat template failed on line 1: it meets a value of a kind that it cannot use"),
    ],
)
def test_a_refusal_says_why_and_where_and_nothing_of_the_request(source: str, message: str) -> None:
    refused = refusal(source, x=USER_TEXT)
    assert refused == message
    assert USER_TEXT not in refused


@pytest.mark.parametrize(
    "source", ["\n{% if %}", "{{ x", "{% nope %}", "{{ x | nope }}", "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}"]
)
def test_a_source_that_is_no_template_is_refused(source: str) -> None:
    with pytest.raises(TemplateRefusal, match="the chat template cannot be read: "):
        ChatTemplate(source)


def test_deeply_nested_values_are_refused() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    assert refusal("{{ x | tojson }}", x=nested).endswith("it calls itself too deeply")
    while nested:  # an unnested end: collecting so deep a list overflows nothing
        nested = nested[0]


def test_threads_can_share_a_template() -> None:
    source = (
        "{% set ns = namespace(n=0) %}{% for i in range(200) %}{% set ns.n = ns.n + x %}{% endfor %}<{{ ns.n }}>{{ y }}"
    )
    template = ChatTemplate(source)

    def once(number: int) -> TrustedText:
        return template.render({"x": number, "y": "u" * number})

    with ThreadPoolExecutor(4) as pool:
        for number, text in enumerate(pool.map(once, range(50))):
            assert text == f"<{200 * number}>" + "u" * number
            digits = len(str(200 * number))
            assert spans(text) == ((0, 1), (1 + digits, 2 + digits))
