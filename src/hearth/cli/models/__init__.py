"""Commands about models that run here."""
