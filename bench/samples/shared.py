"""Secrets as people share them in chats, notes and commands: forms crossed with invented values.

``{v}`` is the value, ``{u}`` a user, ``{h}`` a host, ``{s}`` what the password opens. A third of the forms, chosen by
a hash of their text, is sealed: rules are written from the misses of the others, and of these only the share is read.
"""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

PROSE = (
    "log in as {u} with {v}",
    "You can log in as {u} with {v} until Friday.",
    "sign in with {u} and {v} please",
    "the old one was {v}, I changed it yesterday",
    "Password for the {s}: the old one was {w}, I changed it yesterday to {v}",
    "I changed the {s} password yesterday, it's {v} now",
    "it asks for a password, type {v}",
    "When it prompts for a passphrase, enter {v} and press return.",
    "key for the zip: {v}",
    "the archive is encrypted, the key is {v}",
    "decrypt it with {v}",
    "You can unzip it with {v}",
    "unlock the pdf using {v}",
    "- {s}: {u} / {v}",
    "* {s}: {u} / {v}",
    "{s}: {u} / {v}",
    "{s} login: {u} / {v}",
    "login {u} {v}",
    "user {u}, pw {v}",
    "user: {u} pass: {v}",
    "username is {u} and the password is {v}",
    "The {s} password is {v}.",
    "pw for {s} is {v}",
    "pass is {v} btw",
    "pwd: {v}",
    "pw = {v}",
    "hey the wifi at the office is {v}",
    "guest wifi: {v}",
    "Wifi password at grandma's: {v}",
    "SSID Casa, password {v}",
    "I set the {s} password to {v} for now",
    "We reset your password to {v}, please change it.",
    "your temporary password is {v}",
    "Your initial password: {v}",
    "new password for {u}: {v}",
    "Use {v} as the password",
    "use {v} as password for the {s}",
    "try {v} as the password, if not then {w}",
    "{v} is the password for the {s}",
    "{v} is my {s} password",
    "credentials for {s}: {u}:{v}",
    "creds: {u} {v}",
    "ssh {u}@{h}, password {v}",
    "connect to {h} as {u}, password is {v}",
    "admin account is {u} with password {v}",
    "root pw on the {s} is still {v}",
    "the password hasn't changed: {v}",
    "password (same for both): {v}",
    "Password hint: none. Password: {v}",
    "Master password → {v}",
    'the master password of my vault is "{v}"',
    "I always forget it, {s} password = {v}",
    "it's password protected ({v})",
    "The file is password-protected: {v}",
    "zip password {v}",
    "the passphrase is {v}",
    "passcode for the meeting: {v}",
    "my login for the {s} is {u}, {v}",
    "Don't share this, but the {s} one is {v} (password)",
    "we use the same password everywhere, {v}",
    "ok the db password, as you asked: {v}",
    "Bob: what's the password?\nAnn: {v}",
    "what's the password for the {s}?\n{v}",
    "here's the password:\n{v}",
    "Password\n{v}",
    "Das Passwort ist {v}",
    "Passwort für {s}: {v}",
    "PW: {v}",
    "melde dich mit {u} und {v} an",
    "Login als {u} mit {v}",
    "ich habe das Passwort auf {v} geändert",
    "das alte war {w}, jetzt ist es {v}: Passwort vom {s}",
    "wenn er nach dem Passwort fragt, gib {v} ein",
    "Zugangsdaten {s}: {u} / {v}",
    "das WLAN-Passwort lautet {v}",
    "das Kennwort für die Datei ist {v}",
    "Entpacken mit {v}",
    "le mot de passe est {v}",
    "mot de passe du {s} : {v}",
    "mdp : {v}",
    "connecte-toi avec {u} et {v}",
    "j'ai changé le mot de passe, c'est {v} maintenant",
    "le nouveau mot de passe, c'est {v}",
    "pour ouvrir le zip, tape {v}",
    "identifiants : {u} / {v}",
    "quand il demande le mot de passe, mets {v}",
    "la contraseña es {v}",
    "contraseña del {s}: {v}",
    "entra como {u} con {v}",
    "cambié la contraseña a {v}",
    "la clave del wifi es {v}",
    "cuando pida la contraseña, pon {v}",
    "usuario {u}, clave {v}",
    "a senha é {v}",
    "a senha do {s} é {v}",
    "senha: {v}",
    "entra com {u} e {v}",
    "mudei a senha para {v}",
    "quando pedir a senha, digite {v}",
    "usuário {u} e senha {v}",
    "la password è {v}",
    "la password del {s} è {v}",
    "accedi come {u} con {v}",
    "ho cambiato la password in {v}",
    "quando chiede la password scrivi {v}",
    "het wachtwoord is {v}",
    "wachtwoord van de {s}: {v}",
    "log in als {u} met {v}",
    "ik heb het wachtwoord veranderd in {v}",
    "lösenordet är {v}",
    "lösenord till {s}: {v}",
    "logga in som {u} med {v}",
    "jag bytte lösenordet till {v}",
    "adgangskoden er {v}",
    "passordet er {v}",
    "salasana on {v}",
    "{s} salasana: {v}",
    "kirjaudu tunnuksella {u} ja salasanalla {v}",
    "vaihdoin salasanan, uusi on {v}",
    "hasło to {v}",
    "hasło do {s}: {v}",
    "zaloguj się jako {u}, hasło {v}",
    "zmieniłem hasło na {v}",
    "heslo je {v}",
    "şifre {v}",
    "wifi şifresi: {v}",
    "пароль {v}",
    "пароль от {s}: {v}",
    "логин {u}, пароль {v}",
    "я поменял пароль на {v}",
    "зайди под {u} с паролем {v}",
    "密码是 {v}",
    "密码：{v}",
    "用户名 {u} 密码 {v}",
    "パスワードは {v} です",
    "パスワード：{v}",
    "비밀번호는 {v} 입니다",
    "비번: {v}",
)
NOTES = (
    "| {s} | {u} | {v} |",
    "| service | user | password |\n|---|---|---|\n| {s} | {u} | `{v}` |",
    "| user | value |\n|---|---|\n| {u} | {v} (password) |",
    "| Admin password | `{v}` |",
    "| wifi password | `{v}` |\n| ssid | Casa |",
    "## Password\n\n{v}",
    "### {s} password\n`{v}`",
    "**Password**\n{v}",
    "Username\n{u}\nPassword\n{v}",
    "- user: {u}\n- password: {v}",
    "- URL: https://{h}\n- User: {u}\n- Pass: {v}",
    "{s}\n{u}\n{v}\n(password)",
    "login:: {u}\npassword:: {v}",
    "Benutzer: {u}\nPasswort: {v}",
    "Kennwort:\n{v}",
    "# Zugang\n\nUser {u}\nPW {v}",
    "Contraseña\n{v}",
    "Mot de passe\n{v}",
    "---\ntitle: {s}\npassword: {v}\n---",
    "> password: {v}",
    "[ ] change password (now {v})",
    "{s} (user {u}, password {v})",
    "1. open https://{h}\n2. log in with {u} / {v}",
    "`{u}` / `{v}`",
    "login: `{u}` password: `{v}`",
    "Hasło:\n{v}",
)
KEYS = (
    "{X}_KEY={k}",
    "export {X}_KEY={k}",
    "{x}-key: {k}",
    "x-{x}-key: {k}",
    '"{x}Key": "{k}"',
    "{x}_key = '{k}'",
    "const {x}Key = '{k}'",
    "{x} key: {k}",
    "The {x} key is {k}",
    "| {X}_KEY | `{k}` |",
    "curl -H 'X-{x}-Key: {k}' https://{h}/v1",
    "{X}_API_KEY: {k}",
    "--{x}-key {k}",
    "- name: {X}_KEY\n  value: {k}",
    "https://{h}/v1/items?{x}_key={k}",
)
COMMANDS = (
    "mysql -u {u} -p{v} -h {h} app",
    "mysqldump --user={u} --password={v} app > app.sql",
    "PGPASSWORD={v} psql -h {h} -U {u}",
    "psql postgres://{u}:{v}@{h}/app",
    "curl -u {u}:{v} https://{h}/api",
    "curl --user '{u}:{v}' https://{h}/api",
    "wget --user={u} --password='{v}' https://{h}/a.zip",
    "sshpass -p '{v}' ssh {u}@{h}",
    "sshpass -p{v} scp a {u}@{h}:",
    "docker login -u {u} -p {v} {h}",
    "redis-cli -h {h} -a {v} ping",
    "mongosh mongodb://{u}:{v}@{h}/admin",
    "mongo -u {u} -p {v} --authenticationDatabase admin",
    "unzip -P {v} a.zip",
    "7z x -p{v} a.7z",
    "zip -P {v} -r a.zip docs",
    "rar a -hp{v} a.rar docs",
    "openssl enc -aes-256-cbc -in a -out b -k {v}",
    "openssl enc -d -aes-256-cbc -in a -out b -pass pass:{v}",
    "echo '{v}' | sudo -S apt update",
    "echo {v} | docker login -u {u} --password-stdin",
    "echo '{u}:{v}' | sudo chpasswd",
    "gpg --batch --passphrase '{v}' -d a.gpg",
    "net user {u} {v} /add",
    "smbclient //{h}/share -U {u}%{v}",
    "mount -t cifs //{h}/s /mnt -o username={u},password={v}",
    "git clone https://{u}:{v}@{h}/a.git",
    "ldapsearch -D cn={u} -w {v} -H ldap://{h}",
    "htpasswd -b .htpasswd {u} {v}",
    "nmcli dev wifi connect Casa password {v}",
    "keytool -genkey -storepass {v} -keypass {v}",
    "influx -host {h} -username {u} -password {v}",
    "xfreerdp /v:{h} /u:{u} /p:{v}",
    "lftp -u {u},{v} {h}",
    "ansible-playbook a.yml -e 'ansible_become_pass={v}'",
    "kubectl create secret generic db --from-literal=password={v}",
    "export DB_PASSWORD={v}",
    "sqlcmd -S {h} -U {u} -P {v}",
    "az login -u {u} -p {v}",
    "CREATE USER {u} WITH PASSWORD '{v}';",
    "ALTER USER '{u}'@'%' IDENTIFIED BY '{v}';",
    "restic -r sftp:{h}:/b --password-command 'echo {v}' snapshots",
)
FILES = (
    "DB_HOST={h}\nDB_PASSWORD={v}\n",
    "[client]\nuser={u}\npassword={v}\n",
    "machine {h} login {u} password {v}",
    "{h}:5432:app:{u}:{v}",
    "spring.datasource.password={v}",
    "    environment:\n      POSTGRES_PASSWORD: {v}",
    '{{"user": "{u}", "password": "{v}"}}',
    "<password>{v}</password>",
    'define("DB_PASSWORD", "{v}");',
    "Server={h};Uid={u};Pwd={v};",
    "name,url,username,password\n{s},https://{h},{u},{v}",
    "requirepass {v}",
)

_NOUNS = (
    "lantern meadow copper falcon winter summer dragon coffee bicycle rocket garden sailor orchid planet thunder "
    "velvet pepper violin cactus marble"
)
_WORDS = _NOUNS.split()
_USERS = ("maria", "admin", "jonas", "deploy", "r.okafor", "lena@mail.test", "backup", "kim")
_HOSTS = ("db.intern.test", "10.0.4.17", "nas.local", "app.firma.test")
_SERVICES = ("nas", "router", "server", "staging", "grafana", "jira", "backup", "db")
_ISSUERS = ["acme", "weather", "maps", "billing", "search", "mail", "orbit", "datahub", "lumen", "relay"]


class Sample(NamedTuple):
    """``kind`` names the row of the table; ``sealed`` is true for the third that nobody reads."""

    kind: str
    form: str
    sort: str
    sealed: bool
    text: str
    value: str


def is_sealed(form: str) -> bool:
    """Whether a form belongs to the third that is only scored."""
    return int(sha256(form.encode()).hexdigest(), 16) % 3 == 0


def samples(seed: int, each: int = 3) -> Iterator[Sample]:
    """Each form ``each`` times with other values; the same for the same seed."""
    kinds = (("prose", PROSE), ("notes", NOTES), ("keys", KEYS), ("commands", COMMANDS), ("files", FILES))
    for kind, forms in kinds:
        for form in forms:
            rng = random.Random(f"{seed} {form}")
            sorts = rng.sample(sorted(_SORTS), each) if kind != "keys" else (["hex", "hex", "uuid"] * each)[:each]
            for sort in sorts:
                value = _SORTS[sort](rng) if kind != "keys" else _key(rng, sort)
                issuer = rng.choice(_ISSUERS)
                text = form.format(
                    v=value,
                    k=value,
                    w=_typed(rng),
                    u=rng.choice(_USERS),
                    h=rng.choice(_HOSTS),
                    s=rng.choice(_SERVICES),
                    x=issuer,
                    X=issuer.upper(),
                )
                yield Sample(kind, form, sort, is_sealed(form), text, value)


def _key(rng: random.Random, sort: str) -> str:
    if sort == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    return "".join(rng.choices("0123456789abcdef", k=rng.choice((32, 40, 64))))


def _drawn(rng: random.Random) -> str:
    while True:
        value = "".join(rng.choices(string.ascii_letters + string.digits, k=rng.randint(10, 16)))
        if any(map(str.isdigit, value)) and value[0].isalpha():
            return value


def _signed(rng: random.Random) -> str:
    value = _drawn(rng)
    at = rng.randint(2, len(value) - 2)
    return value[:at] + rng.choice("!#%+-_=?*") + value[at:]


def _dated(rng: random.Random) -> str:
    return rng.choice(_WORDS).capitalize() + str(rng.randint(1987, 2026))


def _typed(rng: random.Random) -> str:
    return _dated(rng) + rng.choice("!?#*")


def _swapped(rng: random.Random) -> str:
    word = rng.choice(_WORDS)
    return word.translate(str.maketrans("aeio", "43!0")).capitalize() + str(rng.randint(1, 99))


def _joined(rng: random.Random) -> str:
    return "-".join(rng.sample(_WORDS, 4))


_SORTS = {"drawn": _drawn, "signed": _signed, "word+year": _dated, "word+year+sign": _typed, "swapped": _swapped,
          "words": _joined}  # fmt: skip
