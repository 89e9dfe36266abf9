"""Admin pages that show and never change: what happens to these rows is a service's business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

if TYPE_CHECKING:
    Options = admin.ModelAdmin[Model]
    Inline = admin.TabularInline[Model, Model]
else:
    Options = admin.ModelAdmin
    Inline = admin.TabularInline


class _Unchanging:
    """Nobody adds, changes or deletes here, superusers included."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(_Unchanging, Options):
    """A list and a page per row; each names the fields that it shows."""

    actions = None


class ReadOnlyInline(_Unchanging, Inline):
    """Rows of another table below a page."""

    extra = 0
    can_delete = False
    show_change_link = True
