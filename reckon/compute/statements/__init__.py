"""What is said of figures: claims, conditions, policies, words, texts.

**Conditions** (`conditions`) compare figures after everything is calculated, and are no cells. They know three
values: a figure without a value leaves a comparison undecided. `not` is carried down to the comparisons, so that each
can say what its left side is to be. Policies are judged over the project, or over each phase, item, seed or grant;
names are looked up as in formulas. A name that will have a figure only once there are runs is listed in `later`, with
its unit: the policy is undecided until then.

**Claims** (`claims`). A stated figure agrees in one of several classes (`agreement`). One that is wrong has a cause
where a guess of what would be printed (`guesses`, a generator for each kind; `structure` takes figures apart) explains
its digits better than chance (`causes`, with the table of kinds). A kind is a row there and a generator.

**Words.** Beside figures stand words at addresses (`words`): which setup a ranking picks, how a setup stands, what a
thing is called. They follow from the weighed setups, so they are made after the sheet is calculated; conditions
compare their ids, texts print their titles. `Known` is both together: all that a name in a condition or a text can
mean. A claim on a word (`claims.Worded`) compares ids; `audit/statements` gives the figures that the word follows
from.

**Texts** (`language/parser`, `text_blocks`). A text is cut at the figures and words that it quotes before anything else
reads it. Its condition is judged like a policy's; what does not hold is not on the page, and the audit says so.
`present` escapes a text as a whole, with characters of private use where figures go, and puts them in last: no value
ever passes through a template.
"""
