"""Ways to write a secret down, crossed: forms of files, code, commands and prose, names, and sorts of values.

``{n}`` is the name, ``{N}`` the name with a capital, ``{v}`` the value. Values are drawn by chance.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from typing import NamedTuple

FORMS = (
    '{n}={v}',
    '{n}="{v}"',
    'export {n}={v}',
    '[main]\nhost = h1\n{n} = {v}',
    'user: kim\n{n}: {v}\nport: 1',
    '{n}: "{v}"',
    '{{"user": "kim", "{n}": "{v}"}}',
    '  "{n}": "{v}",',
    "{n} = '{v}'",
    "connect(host='h', {n}='{v}')",
    "cfg = {{'{n}': '{v}'}}",
    ":{n} => '{v}',",
    "'{n}' => '{v}',",
    "cfg['{n}'] = '{v}';",
    "${n} = '{v}';",
    "define('{n}', '{v}');",
    '<{n}>{v}</{n}>',
    '<conn user="kim" {n}="{v}"/>',
    '<add key="{n}" value="{v}"/>',
    '<property name="{n}">{v}</property>',
    '<option name="{n}" value="{v}" />',
    '<key>{n}</key>\n<string>{v}</string>',
    'tool --{n}={v} run',
    'tool --{n} {v} run',
    "tool --{n} '{v}' run",
    'java -D{n}={v} -jar a.jar',
    'Server=h;User=kim;{n}={v};',
    'https://h.example/x?u=kim&{n}={v}&z=1',
    '-d "user=kim&{n}={v}"',
    '[db]\n{n} = "{v}"',
    '  {n} = "{v}"',
    '{n} := "{v}"',
    'const {n} = "{v}"',
    'let {n}: string = "{v}";',
    'private static final String {n} = "{v}";',
    '#define {n} "{v}"',
    'const char *{n} = "{v}";',
    'conf.set("{n}", "{v}")',
    'cfg.set{N}("{v}");',
    '- name: {n}\n  value: "{v}"',
    '- ParameterKey: {n}\n  ParameterValue: {v}',
    '{{"Key": "{n}", "Value": "{v}"}}',
    '{{"key": "{n}", "value": "{v}"}}',
    '{{"name": "{n}", "value": "{v}"}}',
    '"{n}"="{v}"',
    '$env:{n} = "{v}"',
    'set {n}={v}',
    'setx {n} {v}',
    'ENV {n} {v}',
    'ENV {n}={v}',
    'ARG {n}={v}',
    '      - {n}={v}',
    'db: {{user: kim, {n}: {v}}}',
    '(setq {n} "{v}")',
    '({n} . "{v}")',
    '{{{n}, "{v}"}}',
    '{{{n}, <<"{v}">>}}',
    'config :a, {n}: "{v}"',
    'local t = {{ {n} = "{v}" }}',
    'set {n} "{v}"',
    '{n} {v};',
    '{n} {v}',
    '{n} "{v}"',
    '2024-01-02 INFO start user=kim {n}={v} ip=10.0.0.1',
    'msg {{\\"{n}\\":\\"{v}\\"}}',
    "Config(user='kim', {n}='{v}')",
    'echo "{n}={v}" >> .env',
    'sed -i "s/{n}=.*/{n}={v}/" .env',
    '        {n}: {v}',
    '{n}=\\\n    {v}',
    '{n}: >-\n  {v}',
    '{n}: &pw {v}',
    '{n}: !!str {v}',
    '# {n}={v}',
    '// {n} = "{v}"',
    '| system | {n} |\n|---|---|\n| wiki | {v} |',
    '| {n} | {v} |',
    'host,user,{n}\nh1,kim,{v}\n',
    '- {n}: {v}',
    '**{n}:** {v}',
    '{n}: `{v}`',
    'The {n} is {v}.',
    'the new {n} for the wiki is `{v}`',
    "CREATE USER kim IDENTIFIED BY '{v}';",
    "ALTER ROLE kim WITH PASSWORD '{v}';",
    "INSERT INTO users (name, {n}) VALUES ('kim', '{v}');",
    "UPDATE users SET {n} = '{v}' WHERE id=1;",
    '${{{n}}}    {v}',
    'variable "{n}" {{\n  default = "{v}"\n}}',
    "x = {n} or '{v}'",
    "os.getenv('{n}', '{v}')",
    "ENV.fetch('{n}', '{v}')",
    '{n}=${{{n}:-{v}}}',
    'cat > f <<EOF\n{n}={v}\nEOF',
    '{{ user: "kim", {n}: "{v}" }}',
    'k = load("a.jks", {n} = "{v}".toCharArray())',
    '{n}s = ["{v}", "{v}"]',
    "{n} = b'{v}'",
    '<input type="hidden" name="{n}" value="{v}">',
    '\\newcommand{{\\{n}}}{{{v}}}',
    'host1 ansible_host=1.2.3.4 {n}={v}',
    'SetEnv {n} {v}',
    'fastcgi_param {n} {v};',
    'Environment="{n}={v}"',
    'Environment={n}={v}',
    '{n} ?= {v}',
    'set({n} "{v}")',
    "{n} '{v}'",
    'helm upgrade x --set auth.{n}={v}',
    'kubectl create secret generic x --from-literal={n}={v}',
    'vault kv put secret/x {n}={v}',
    'machine h.example login kim password {v}',
    'postgres://kim:{v}@db.example:5432/x',
    'curl -u kim:{v} https://h.example/',
    'auth=("kim", "{v}")',
    'login kim\n{n} {v}',
)  # fmt: skip
PASSWORDS = [
    "password",
    "PASSWORD",
    "dbPassword",
    "passwd",
    "pwd",
    "pw",
    "passphrase",
    "DB_PASS",
    "admin_pw",
    "smtp-password",
    "Passwort",
    "contraseña",
    "mot_de_passe",
    "salasana",
    "wachtwoord",
    "hasło",
    "senha",
    "пароль",
    "SshPwd",
    "userPass",
]
KEYS = [
    "api_key",
    "apiKey",
    "client_secret",
    "SECRET_KEY",
    "access_token",
    "authToken",
    "signing_key",
    "webhookSecret",
    "private_token",
    "encryption-key",
]
_WORDS = [
    "lantern",
    "maple",
    "otter",
    "harbor",
    "velvet",
    "pumpkin",
    "meadow",
    "falcon",
    "copper",
    "saddle",
    "walnut",
    "thistle",
]
_ESCAPED = ("://", "?", "user=kim&", "Server=")


class Cell(NamedTuple):
    form: str
    name: str
    sort: str
    text: str
    value: str


def cells(seed: int) -> Iterator[Cell]:
    """Every form with every fitting pair of a name and a sort of value; keys are never words."""
    rng = random.Random(seed)
    for form in FORMS:
        names = [*PASSWORDS, *KEYS] if "{n}" in form or "{N}" in form else ["password"]
        for name in names:
            for sort, value in _values(rng).items():
                if name in KEYS and sort in ("word", "joined", "figures", "mixed"):
                    continue
                if any(sign in form for sign in _ESCAPED):
                    value = value.replace("#", "%23").replace("&", "%26")
                text = form.format(n=name, N=name[:1].upper() + name[1:], v=value)
                yield Cell(form, name, sort, f"intro line here\n{text}\nsome end line\n", value)


def _values(rng: random.Random) -> dict[str, str]:
    first, second = rng.sample(_WORDS, 2)

    def drawn(count: int, signs: str = string.ascii_letters + string.digits) -> str:
        return "".join(rng.choices(signs, k=count))

    return {
        "word": first,
        "joined": f"{first}-{second}",
        "figures": first + drawn(2, string.digits),
        "mixed": first[:3] + drawn(1, string.digits) + second[:3],
        "typed": f"{first.title()}{drawn(3, string.digits)}!",
        "ten drawn": drawn(10),
        "twenty-four drawn": drawn(24),
        "hexadecimal": drawn(32, "0123456789abcdef"),
        "base64": drawn(43) + "=",
        "signs": f"{drawn(4)}#{drawn(4)}&{drawn(2)}",
    }
