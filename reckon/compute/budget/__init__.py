"""Hours planned, spent and to come: budget, runs, earned value, forecast, grants, money."""
