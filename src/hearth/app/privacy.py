"""Which folders of a vault are nobody else's to read, and where texts may lie half written."""

from __future__ import annotations

from pathlib import Path

from hearth.app.locks import Settings
from hearth.core.paths import home
from hearth.disk.modes import Places


def private_places(chosen: Settings) -> Places:
    """Those of the vault and of this machine's state; never a collection that people made, of whatever vault."""
    config, folders = chosen.loaded.config, chosen.folders
    given = [config.collections, *(vault.collections for vault in config.vaults.values())]
    people = {str(item.path) for collections in given for item in collections.values()}
    data = str(chosen.vault.data)
    # Where somebody made a folder of notes the data folder, too, what Hearth writes there is still Hearth's.
    trees = [data] if data not in people else [f"{data}/memory", f"{data}/journal"]
    return Places(
        trees=[*trees, str(chosen.vault.cache)],
        flat=[folders.state],
        # What is in the folder of settings may be people's, and keeps its mode behind the closed door.
        tops=[folders.data, folders.cache, folders.config],
        people=sorted(people),
        home=home(chosen.environ),
    )


def own_folders(chosen: Settings) -> list[Path]:
    """Where only Hearth writes, and a killed process may have left a text half written."""
    return [chosen.vault.data, chosen.vault.cache, Path(chosen.folders.state), Path(chosen.folders.config)]


def remnant_folders(chosen: Settings) -> list[Path]:
    """These, and the collections, into which an import writes."""
    return [*own_folders(chosen), *(Path(item.path) for item in chosen.vault.collections.values())]
