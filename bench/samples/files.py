"""Files of settings that hold secrets, by the program that reads them: ``{p}`` is a password that a person chose.

Other holes are as in ``leaks.py``. Every hole is a secret of its own.
"""

from __future__ import annotations

# Name of the kind, then the file.
FILES: dict[str, str] = {
    "php-define": (
        "<?php\ndefine( 'DB_USER',     'shop' );\ndefine( 'DB_PASSWORD', '{p}' );\n"
        "define('AUTH_KEY',         '{s64}');\n"
        "define('SECURE_AUTH_SALT', '{s64}');\n"
    ),
    "php-array": "$databases['default'] = [\n  'host' => 'db',\n  'username' => 'shop',\n  'password' => '{p}',\n];\n"
    "$settings['hash_salt'] = '{w74}';\n$cfg['blowfish_secret'] = '{s32}';\n",
    "laravel": "APP_ENV=local\nAPP_KEY=base64:{b43}=\nDB_USERNAME=root\nDB_PASSWORD={p}\nMAIL_PASSWORD={p}\n",
    "yii": "'request' => [\n    'cookieValidationKey' => '{w32}',\n],\n",
    "rails": "production:\n  secret_key_base: {h128}\n  adapter: mysql2\n  username: app\n  password: {p}\n",
    "django": 'DEBUG = False\nSECRET_KEY = "{b50}"\nEMAIL_HOST_USER = "app"\nEMAIL_HOST_PASSWORD = "{p}"\n',
    "npmrc": "registry=https://npm.host.io/\n_auth = {a}\n//npm.host.io/:_authToken={h8}-{h4}-4{h3}-a{h3}-{h12}\n",
    "docker": '{{"auths": {{"https://index.docker.io/v1/": {{"auth": "{a}"}}}}}}\n',
    "netrc": "machine imap.host.io\n  login app\n  password {p}\nmachine smtp.host.io login app password {p}\n",
    "pgpass": "#hostname:port:database:username:password\ndb.host.io:5432:main:app:{p}\n*:*:*:postgres:{p}\n",
    "esmtprc": 'identity "app@host.io"\nhostname smtp.host.io:587\nusername "app@host.io"\npassword "{p}"\n'
    "starttls required\n",
    "msmtprc": "account work\nhost smtp.host.io\nport 587\nfrom app@host.io\nuser app\npassword {p}\n",
    "fetchmailrc": "poll mail.host.io proto imap\n  user 'app' there with password '{p}' is 'app' here\n",
    "git-credentials": "https://app@host.io:{p}#@{d3}@git.host.io\nhttps://app:{p}@git.host.io\n",
    "filezilla": '<Server>\n\t<Host>ftp.host.io</Host>\n\t<User>app</User>\n\t<Pass encoding="base64">{e}</Pass>\n'
    "</Server>\n"
    "<Server>\n\t<Host>ftp.host.io</Host>\n\t<User>app</User>\n\t<Pass>{p}</Pass>\n</Server>\n",
    "sequel": "<dict>\n\t<key>host</key>\n\t<string>db</string>\n\t<key>user</key>\n\t<string>app</string>\n"
    "\t<key>password</key>\n\t<string>{p}</string>\n</dict>\n",
    "dbeaver": '<connection host="db" port="1521" database="x" user="app" password="{p}"/>\n',
    "datagrip": '<fileTransfer host="web" port="22" password="df{h40}" username="root">\n',
    "robomongo": '{{\n  "userName" : "app",\n  "userPassword" : "{p}",\n  "sshPassphrase" : "{p}",\n'
    '  "sshHost" : "db"\n}}\n',
    "sftp": '{{\n    "type": "sftp",\n    "host": "web.host.io",\n    "user": "root",\n    "pass": "{p}",\n'
    '    "port": 22\n}}\n',
    "shell": "export RDS_HOST='db.host.io'\nexport RDS_PASSWORD='{p}'\nexport SMTP_PASS='{p}'\nexport MAIL_PASS={p}\n",
    "ini": "[Server]\nName=Server\nAuth=1\nAdminPassword={p}\nPassword={p}\n",
    "my.cnf": "[client]\nuser = app\nhost = db\npassword = {p}\n",
    "firefox": '{{"hostname":"https://host.io","encryptedPassword":"MEIEEPg{b60}"}}\n',
    "spring": "spring:\n  datasource:\n    url: jdbc:postgresql://db/x\n    username: app\n    password: {p}\n",
    "spring-bean": '<bean id="ds">\n  <property name="username" value="app"/>\n'
    '  <property name="password" value="{p}"/>\n</bean>\n',
    "hadoop": "<property>\n  <name>javax.jdo.option.ConnectionPassword</name>\n  <value>{p}</value>\n</property>\n",
    "maven": "<server>\n  <id>releases</id>\n  <username>app</username>\n  <password>{p}</password>\n</server>\n",
    "tomcat": '<user username="admin" password="{p}" roles="manager-gui"/>\n',
    "terraform": 'variable "db_password" {{\n  type    = string\n  default = "{p}"\n}}\n',
    "cloudformation": "  DBPassword:\n    Type: String\n    Default: '{p}'\n",
    "ansible": "ansible_user: deploy\nansible_ssh_pass: {p}\nansible_become_password: {p}\n",
    "compose": "environment:\n  - POSTGRES_USER=app\n  - POSTGRES_PASSWORD={p}\n  MYSQL_ROOT_PASSWORD: {p}\n",
    "sql": "CREATE USER 'app'@'%' IDENTIFIED BY '{p}';\nALTER ROLE app WITH PASSWORD '{p}';\n",
    "powershell": "$pw = ConvertTo-SecureString '{p}' -AsPlainText -Force\n",
    "login-call": "conn.login('app@host.io', '{p}', done)\nr = get(url, auth=('app', '{p}'))\n",
    "putty": (
        "PuTTY-User-Key-File-2: ssh-rsa\r\nEncryption: none\r\nComment: mine\r\nPublic-Lines: 1\r\n"
        "AAAAB3NzaC1yc2EAAAA\r\n"
        "Private-Lines: 2\r\n{b64}\r\n{b60}==\r\nPrivate-MAC: {h40}\r\n"
    ),
    "netplan": 'wifis:\n  wlan0:\n    access-points:\n      "home":\n        password: "{p}"\n',
    "wpa": 'network={{\n  ssid="home"\n  psk="{p}"\n}}\n',
    "redis": "port 6379\nrequirepass {p}\nmasterauth {p}\n",
    "htpasswd": "app:$apr1${n8}${n22}\nweb:$2y$10${n53}\n",
    "shadow": "root:$6${n16}${n86}:19000:0:99999:7:::\n",
    "pypirc": "[pypi]\nrepository = https://host.io\nusername = app\npassword = {p}\n",
    "s3cfg": "[default]\naccess_key = app\nsecret_key = {n40}\n",
    "hub": "github.com:\n- user: app\n  oauth_token: {h40}\n  protocol: https\n",
    "htaccess-url": "proxy = http://app:{p}@proxy.host.io:3128\n",
    "properties": "jdbc.user=app\njdbc.password={p}\nkeystore.pass={p}\n",
    "web.config": '<machineKey validationKey="{H64}" decryptionKey="{H48}"/>\n<add key="SmtpPass" value="{p}"/>\n',
    "vpn": "<auth-user-pass>\napp\n{p}\n</auth-user-pass>\n",
    "ldap": "BINDDN cn=admin\nBINDPW {p}\nbindpw {p}\n",
    "svn": "[users]\nK 8\npassword\nV 9\n{p}\nEND\n",
}
