"""What a Pod is given: the messages of a call, the fields behind them, the catalog."""
