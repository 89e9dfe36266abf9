"""The account forms: Django's own, in this site's look."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import AuthenticationForm, BaseUserCreationForm

LOOK = "pl-input"


def _set_look(form: forms.BaseForm) -> None:
    for field in form.fields.values():
        field.widget.attrs["class"] = LOOK


class SignInForm(AuthenticationForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: Django's own signature
        super().__init__(*args, **kwargs)
        _set_look(self)


class SignUpForm(BaseUserCreationForm):  # type: ignore[type-arg]  # not generic at run time
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
        self.fields["username"].widget.attrs["autocomplete"] = "username"
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""
        password = self.fields["password1"]
        password.help_text = "At least 8 characters, not a common word, not your name."
        _set_look(self)
