"""The pages for people: sign in, submit, my submissions, account, benchmarks.

Views read the request, call one function of `portal.services` and write a page;
they know no models.
"""
