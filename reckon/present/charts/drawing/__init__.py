"""How each kind of picture is drawn: a description becomes a Vega-Lite specification. Altair is imported only here."""
