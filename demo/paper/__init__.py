"""What the demonstration reports and plans: frozen reports, findings, the protocol, answers to standards."""
