"""The account forms: Django's own, in this site's look."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm

from portal import services
from portal.errors import PortalError

LOOK = "pl-input"


def _set_look(form: forms.BaseForm) -> None:
    for field in form.fields.values():
        field.widget.attrs["class"] = LOOK


class SignInForm(AuthenticationForm):
    """Name and password; the portal counts wrong ones, here as in the API."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: Django's own signature
        super().__init__(*args, **kwargs)
        _set_look(self)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if not given.get("username") or not given.get("password"):
            return given
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        try:
            self.user_cache = services.sign_in(
                username=given["username"], password=given["password"], address=address
            )
        except PortalError as refusal:
            raise forms.ValidationError(refusal.detail) from refusal
        return given


class SignUpForm(UserCreationForm):  # type: ignore[type-arg]  # not generic at run time
    """A local account; the e-mail address may be left out."""

    class Meta:
        model = get_user_model()
        fields = ("username", "email")
        labels = {"username": "Name", "email": "E-mail"}  # noqa: RUF012  # Django reads it as is
        help_texts = {  # noqa: RUF012
            "username": "Letters, digits and @ . + - _; it stands on the board.",
            "email": "Only to reach you about your submissions; shown to nobody.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: Django's own signature
        super().__init__(*args, **kwargs)
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""
        password = self.fields["password1"]
        password.help_text = "At least 8 characters, not a common word, not your name."
        _set_look(self)
