"""Accounts for maintainers: people, teams and the names of tokens."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from portal.accounts.models import Membership, Team, Token, User
from portal.readonly import ReadOnlyAdmin

admin.site.site_header = admin.site.site_title = "Plumbline, for maintainers"
admin.site.index_title = "What the portal remembers"


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # not generic at run time
    """A person is made inactive, never deleted: what they did names them."""

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # not generic at run time
    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "created_at")
    readonly_fields = ("slug", "created_at")
    inlines = (MembershipInline,)


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    list_display = ("prefix", "name", "user", "created_at", "last_used_at", "revoked_at")
    search_fields = ("prefix", "name", "user__username")
    fields = ("prefix", "name", "user", "created_at", "last_used_at", "revoked_at")
