"""The board's pages: each turns a view into markup, a table and a figure."""
