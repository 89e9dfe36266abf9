"""Reading what strangers send: strictly, in bounded time and memory, naming every fault.

`strict` turns bytes into a value, `fields` checks a value against a form,
`detections` goes from bytes to arrays. Nothing here knows a family or truth.
"""
