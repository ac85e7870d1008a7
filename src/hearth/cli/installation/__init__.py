"""Commands about the installation: settings, places, versions, the shell."""
