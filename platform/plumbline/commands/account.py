"""login, logout, whoami: who is asking."""

from __future__ import annotations

import argparse
import getpass
import platform
import sys
from urllib.parse import urlsplit

from plumbline import credentials
from plumbline.addresses import is_loopback, site_address
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    login = add_command(
        commands,
        "login",
        run_login,
        summary="sign in to a site and keep a token",
        description="""Asks for user name and password, has the site make a token, and keeps the
        token in a file that only you can read. The password is not kept. Later commands use this
        site unless --server or PLUMBLINE_SERVER names another. In scripts set PLUMBLINE_TOKEN, or
        hand the password or a token in on stdin.""",
        example="""
        plumbline login --server https://board.example.org
        printf '%s' "$PASSWORD" | plumbline login --user ada --password-stdin
        printf '%s' "$TOKEN" | plumbline login --token-stdin
        """,
        exits={0: "signed in", 1: "wrong name or password"},
        online=True,
    )
    login.add_argument("--user", metavar="NAME", help="user name; asked for if left out")
    login.add_argument(
        "--name",
        metavar="LABEL",
        help="what the token is called on your account page (default: this machine's name)",
    )
    source = login.add_mutually_exclusive_group()
    source.add_argument("--password-stdin", action="store_true", help="read the password on stdin")
    source.add_argument("--token-stdin", action="store_true", help="keep the token on stdin")
    add_command(
        commands,
        "logout",
        run_logout,
        summary="revoke the kept token and forget it",
        description="""Makes the token that `plumbline login` kept for this site worthless and
        deletes it here. If the site cannot be reached it is only deleted here; revoke it on your
        account page then.""",
        example="plumbline logout",
        exits={0: "signed out"},
        online=True,
    )
    add_command(
        commands,
        "whoami",
        run_whoami,
        summary="say who the site takes you for",
        description="Shows the user and the teams that your token belongs to.",
        example="plumbline whoami --json",
        exits={0: "signed in"},
        online=True,
    )


def run_login(args: argparse.Namespace, console: Console) -> Exit:
    """Sign in and keep the token."""
    from plumbline.client import Client, NotSignedIn

    site = site_address(credentials.server(args.server))
    _warn_of_clear_text(site, console)
    if args.token_stdin:
        token = sys.stdin.readline().strip()
    else:
        user, password = _name_and_password(args, site)
        label = args.name or f"command line on {platform.node() or 'this machine'}"
        try:
            with Client(site) as client:
                token = client.login(user, password, label)
        except NotSignedIn as error:
            raise Fault(error.sentence, Exit.NOT_FINE, code=error.code) from None
    with Client(site, token) as client:
        person = client.me()
    kept = credentials.read()
    kept.tokens[site] = token
    kept.latest = site
    credentials.write(kept)
    console.result(f"Signed in to {site} as {person.get('username')}.")
    console.say(f"The token is kept in {credentials.path()}.")
    console.document({"server": site, **person})
    return Exit.OK


def run_logout(args: argparse.Namespace, console: Console) -> Exit:
    """Revoke the kept token and forget it."""
    from plumbline.client import Client, NotSignedIn, PlumblineError

    site = site_address(credentials.server(args.server))
    kept = credentials.read()
    token = kept.tokens.pop(site, None)
    revoked = False
    if token is not None:
        try:
            with Client(site, token) as client:
                for found in client.tokens():
                    prefix = str(found["prefix"])
                    if token.startswith(prefix):
                        client.revoke_token(prefix)
                        revoked = True
        except NotSignedIn:
            revoked = True  # it was worthless already
        except PlumblineError as error:
            console.say(f"{error.sentence} The token is not revoked; do that on your account page.")
        credentials.write(kept)
    console.result(f"Signed out of {site}." if token else f"No token was kept for {site}.")
    console.document({"server": site, "forgotten": token is not None, "revoked": revoked})
    return Exit.OK


def run_whoami(args: argparse.Namespace, console: Console) -> Exit:
    """Say who the site takes the token's owner for."""
    from plumbline.commands.site import client_of

    with client_of(args) as client:
        person = client.me()
        console.result(f"{person.get('username')} at {client.base_url}")
        console.document({"server": client.base_url, **person})
    return Exit.OK


def _name_and_password(args: argparse.Namespace, site: str) -> tuple[str, str]:
    if args.password_stdin:
        if not args.user:
            raise Fault("--password-stdin wants --user NAME beside it.")
        return args.user, sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise Fault(
            "There is no terminal to ask for a password: use --user NAME --password-stdin, "
            "or --token-stdin, or set PLUMBLINE_TOKEN."
        )
    sys.stderr.write(f"Signing in to {site}\n")
    user = args.user or _asked("User name: ")
    return user, getpass.getpass("Password: ")


def _asked(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _warn_of_clear_text(site: str, console: Console) -> None:
    if urlsplit(site).scheme == "http" and not is_loopback(site):
        console.say(f"{site} is not encrypted: others on the way can read what you send.")
