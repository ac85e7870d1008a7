"""What the engine does when a host tells it something: one module a hook, all answering with a ``HookReply``."""
