"""Two ledgers compared: which inputs changed, which figures moved, and the bridge from one total to the other.

`ledger_diff` gives the differences between two ledgers as values, in one order: what others may rest on is put in
before them and taken away after them. A `Change` holds `Swap`s: what to put at which path of the ledger.
`change.applied` makes the ledger that has it, and all changes together make the new ledger (a property test holds
that). Values are compared by their `canonical`: what they say, not how or where it is written. `list_diff` matches the
entries of lists (claims, what is accepted, what is dropped) by what names them, and compares runs by item and month;
the last change of a list puts the new one in the place of the old. An item is in one place in every ledger between the
two, so a move or another id is one change.

`steps` walks these ledgers and calculates the one figure that is asked for after each change, by the engine that
calculates everything. So steps add up by construction. A change that the figure cannot rest on (it is in the closure
of its operands on neither side) is applied and not calculated after; if that was wrong, its effect shows in the next
step, and the sum still holds. A ledger that cannot be calculated, since a formula names what is not there yet, makes
one step with what follows. Runs are swapped by item and month. Writing a sheet takes much longer than calculating one
figure of it, so a number in the place of another is put into the sheet that is there (`steps.Patched`), and only what
rests on it is calculated again; a property test holds this against new sheets. What would still take too long is
counted in operands, never in seconds, and neighbours then share a step.

`method` says what a newer method made of a release: which released figures come out otherwise today from the same
ledger, and by which sentences of the changelog.

`load/trees` opens what is compared: the working tree, a folder, a revision (`load/git` lists and reads only `ledger/`
of it) or a release, whose files go into a temporary folder. Git is asked and never told to change anything.
"""
