"""Lives of a study, drawn by a number: people label, leave, come back and race; they propose categories and vote, meet,
argue and decide; leads edit the taxonomy and publish, close, reveal and decide; clocks jump, connections die. A plain
model beside it says after each step what must be true.

`turns` runs acts at once, statement by statement, in a drawn order; `model` is what must be true; `life` draws and acts;
`checks` compares; `mutations` takes a lock, a gate or a retry out, and the lives must notice.
"""
