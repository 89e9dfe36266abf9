"""Sign up, sign in, sign out, and the tokens of one's scripts."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from portal import services
from portal.site.forms import SignInForm, SignUpForm
from portal.site.requests import next_address, person

HERE = {"here": "account"}
MAX_TOKEN_NAME = 60  # characters


class SignIn(LoginView):
    template_name = "site/account/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
    extra_context = HERE


class SignOut(LogoutView):
    http_method_names = ["post"]  # noqa: RUF012  # Django's own attribute


@never_cache
@sensitive_post_parameters("password1", "password2")
@require_http_methods(["GET", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """A new local account, signed in at once."""
    after = next_address(request, settings.LOGIN_REDIRECT_URL)
    if request.user.is_authenticated:
        return redirect(after)
    form = SignUpForm(request.POST or None)
    if form.is_valid():
        login(request, form.save())
        return redirect(after)
    context = {**HERE, "form": form, "next": after}
    return render(request, "site/account/sign_up.html", context, status=400 if form.errors else 200)


@never_cache
@login_required
@require_GET
def account(request: HttpRequest) -> HttpResponse:
    return _account_page(request)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def make_token(request: HttpRequest) -> HttpResponse:
    """A new token, shown in the answer to this form and never again."""
    if request.method == "GET":
        return redirect("site:account")
    name = request.POST.get("name", "").strip()
    if not name or len(name) > MAX_TOKEN_NAME:
        error = f"Give the token a name of 1 to {MAX_TOKEN_NAME} characters."
        return _account_page(request, token_error=error)
    text = services.issue_token(user=person(request), name=name)
    return _account_page(request, secret={"name": name, "text": text})


@login_required
@require_POST
def revoke_token(request: HttpRequest, prefix: str) -> HttpResponse:
    services.revoke_token(user=person(request), prefix=prefix)
    messages.success(request, "The token was revoked; nothing accepts it any more.")
    return redirect("site:account")


def _account_page(
    request: HttpRequest, *, secret: dict[str, str] | None = None, token_error: str = ""
) -> HttpResponse:
    context = {
        **HERE,
        "secret": secret,
        "token_error": token_error,
        "tokens": services.my_tokens(user=person(request)),
        "base_url": settings.BASE_URL,
    }
    return render(request, "site/account/account.html", context, status=400 if token_error else 200)
