# The e-mail channel against Postfix on this machine: STARTTLS, TLS from the first byte, login, relay, a filter that takes twelve
# seconds for the final dot, greylisting and refusals of single recipients. Needs root, for Postfix.

mail_dir=$work/mail
greets() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# The first of six ports in a row that nobody listens on, of those that nobody else takes them from.
free_row() {
  local first offset
  while :; do
    first=$((17000 + RANDOM % 1000))
    for offset in 0 1 2 3 4 5 100; do ! greets $((first + offset)) || continue 2; done
    echo "$first"
    return
  done
}
smtp_port=$(free_row)
policy_port=$((smtp_port + 5))
postfix_runs=
# Debian's Postfix looks for these nowhere else; both are put back at the end.
sasl_conf=/etc/postfix/sasl/hub-interop.conf

start_postfix() {
  chmod 755 "$work"
  mkdir -p "$mail_dir"/{conf,spool,data,box} "${sasl_conf%/*}"
  chown postfix "$mail_dir/data"
  chown nobody "$mail_dir/box"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' \
    -keyout "$mail_dir/key.pem" -out "$mail_dir/cert.pem" 2>/dev/null
  printf 'pwcheck_method: auxprop\nauxprop_plugin: sasldb\nmech_list: PLAIN LOGIN\n' >"$sasl_conf"
  printf %s 'secret of the mail' | saslpasswd2 -p -c -u localhost hub
  chgrp postfix /etc/sasldb2
  cat >"$mail_dir/conf/main.cf" <<CONF
compatibility_level = 3.6
queue_directory = $mail_dir/spool
data_directory = $mail_dir/data
myhostname = localhost
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
virtual_mailbox_domains = house.test
virtual_mailbox_base = $mail_dir/box
virtual_mailbox_maps = static:all/
virtual_uid_maps = static:$(id -u nobody)
virtual_gid_maps = static:$(id -g nobody)
smtpd_tls_cert_file = $mail_dir/cert.pem
smtpd_tls_key_file = $mail_dir/key.pem
smtpd_tls_security_level = may
smtpd_sasl_auth_enable = yes
local_recipient_maps =
alias_maps =
smtpd_sasl_path = hub-interop
smtpd_sasl_local_domain = localhost
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
maillog_file = $mail_dir/spool/log
maillog_file_prefixes = $work
CONF
  cat >"$mail_dir/conf/master.cf" <<CONF
127.0.0.1:$smtp_port inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
127.0.0.1:$((smtp_port + 1)) inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
127.0.0.1:$((smtp_port + 2)) inet n - n - - smtpd
  -o smtpd_sasl_auth_enable=no
127.0.0.1:$((smtp_port + 3)) inet n - n - - smtpd
  -o smtpd_end_of_data_restrictions=check_policy_service,inet:127.0.0.1:$policy_port
127.0.0.1:$((smtp_port + 4)) inet n - n - - smtpd
  -o { smtpd_recipient_restrictions = check_recipient_access inline:{{eve@house.test = 550 5.1.1 nobody of this name}},
       check_policy_service inet:127.0.0.1:$policy_port, permit_sasl_authenticated, reject }
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
CONF
  python3 "$here/mail-policy.py" "$policy_port" &
  helper_pids+=($!)
  soon greets "$policy_port"
  timeout 60 postfix -c "$mail_dir/conf" start
  postfix_runs=yes
}

stop_postfix() {
  [ -n "$postfix_runs" ] || return 0
  timeout 20 postfix -c "$mail_dir/conf" stop >/dev/null 2>&1 || true
  postfix_runs=
  rm -f "$sasl_conf"
  saslpasswd2 -d -u localhost hub 2>/dev/null || true
  chgrp sasl /etc/sasldb2 2>/dev/null || true
}

mail_channel() { # NAME PORT PASSWORD FLAG [RECIPIENTS]
  cat <<TOML

[[notify.channels]]
name = "$1"
type = "email"
from = "hub@house.test"
to = [${5:-"\"anna@house.test\", \"ben@house.test\""}]
[notify.channels.smtp]
host = "localhost"
port = $2
username = "hub"
password = "$3"
tls_ca = "$mail_dir/cert.pem"
$4
TOML
}

configure_mail() {
  {
    mail_channel starttls "$smtp_port" 'secret of the mail' 'starttls = true'
    mail_channel tls $((smtp_port + 1)) 'secret of the mail' 'tls = true'
    mail_channel wrong "$smtp_port" 'another secret' 'starttls = true'
    mail_channel swapped "$smtp_port" 'secret of the mail' 'tls = true'
    mail_channel relay $((smtp_port + 2)) '' 'starttls = true' | sed 's/^username = .*/username = ""/'
    mail_channel slow $((smtp_port + 3)) 'secret of the mail' 'starttls = true'
    mail_channel grey $((smtp_port + 4)) 'secret of the mail' 'starttls = true' \
      '"anna@house.test", "carl@house.test", "eve@house.test"'
    mail_channel late $((smtp_port + 4)) 'secret of the mail' 'starttls = true' '"anna@house.test", "dora@house.test"'
    mail_channel nobody $((smtp_port + 100)) 'secret of the mail' 'starttls = true'
  } >>"$home/config/hub.toml"
}

# Runs a rule that tells CHANNEL something.
mail_by_rule() { # CHANNEL
  local rule
  rule=$(ask POST /rules "{\"name\":\"Tell $1\",\"actions\":[{\"type\":\"notify\",\"channel\":\"$1\",\"message\":\"told by $1\"}]}" | jq -r .id)
  ask POST "/rules/$rule/run" >/dev/null
}
waiting_channels() { ask GET /notify/outbox | jq -r '[.[].channel] | join(" ")'; }
retry_waiting() { # CHANNEL
  ask POST "/notify/outbox/$(ask GET /notify/outbox | jq -r --arg channel "$1" 'map(select(.channel == $channel))[0].id')/retry"
}
# mails_to NAME TEXT: how many mails with the text Postfix delivered to NAME.
mails_to() { grep -l "$2" "$mail_dir"/box/all/new/* | xargs -r grep -l "^Delivered-To: $1@" | wc -l; }

try_channel() { ask POST /notify/test "{\"channel\":\"$1\",\"message\":\"21 °C in the hall\",\"title\":\"Warm\"}"; }
hint_of() { try_channel "$1" | jq -r '[.status, .hint // ""] | join(" ")'; }
mails() { find "$mail_dir/box/all/new" -type f 2>/dev/null | wc -l; }
headers_of_one() { cat "$(find "$mail_dir/box/all/new" -type f | head -n 1)"; }

mail_checks() {
  start_postfix 2>/dev/null
  check "Postfix starts" soon greets "$smtp_port"
  check "STARTTLS and login: taken" jq -e '.sent == true' <(try_channel starttls)
  check "TLS from the first byte: taken" jq -e '.sent == true' <(try_channel tls)
  check "… and both reached both recipients" soon same 4 mails
  check "a mail has a date, an id, a sender by name and both bodies" same 5 sh -c \
    "grep -Eihc '^(date: |message-id: |from: \"?hub\"? <|content-type: text/(plain|html))' \$(find '$mail_dir/box/all/new' -type f | head -n 1)"
  check "a wrong password is told" same \
    '502 Likely wrong username or password; an application password may be needed' hint_of wrong
  check "TLS to a STARTTLS port is told" same \
    '502 Use `starttls = true` for port 587 or `tls = true` for port 465' hint_of swapped
  check "a denied relay is told" same \
    '502 The SMTP server requires authentication; check username and password' hint_of relay
  check "a port where nobody listens is told" same '502 Likely wrong SMTP host or port' hint_of nobody
  filter_checks
  stop_postfix
}

filter_checks() {
  mail_by_rule slow
  mail_by_rule grey
  check "of three recipients, one has it at once" soon same 1 mails_to anna 'told by grey'
  check "… one who is refused for good is told of by an event" soon answer '/events?limit=1000' \
    'any(.[]; .type == "notification_recipient_refused" and .recipient == "eve@house.test" and (.error | test("nobody of this name")))'
  check "… and one is put off, and waits" soon same 1 sh -c \
    "curl -sS '$api/notify/outbox' -H 'Authorization: Bearer $token' | jq '[.[] | select(.channel == \"grey\" and (.last_error | test(\"put off for carl@house.test\")))] | length'"
  check "a test says who was put off, and who has it" jq -e \
    '.status == 502 and (.error | test("put off for dora@house.test .*; anna@house.test has it"))' <(try_channel late)
  check "a filter of twelve seconds: a test says that the mail is handed over" jq -e \
    '.sent == true and .deliveries[0].note == "handed over, not confirmed yet"' \
    <(curl -sS -m 60 "$api/notify/test" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
      -d '{"channel":"slow","message":"tried by hand"}')
  retry_waiting grey >/dev/null
  check "who was put off has it later" soon same 1 mails_to carl 'told by grey'
  check "… and nobody has it twice" same 1 mails_to anna 'told by grey'
  check "what the slow filter let through is confirmed" patiently same "" waiting_channels
  for text in 'told by slow' 'tried by hand'; do
    check "… each mail came once: $text" patiently same '1 1' sh -c \
      "echo \$(grep -l '$text' $mail_dir/box/all/new/* | xargs grep -l '^Delivered-To: anna@' | wc -l) \$(grep -l '$text' $mail_dir/box/all/new/* | xargs grep -l '^Delivered-To: ben@' | wc -l)"
  done
}
