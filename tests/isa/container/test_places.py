"""Code objects where people have them: a file, or a member of an archive that is written as if it were a folder."""

import zipfile
from pathlib import Path

import pytest

from layoutalg.isa.container.places import content_of


def test_a_member_of_an_archive_is_read_as_a_file_of_a_folder(tmp_path: Path) -> None:
    wheel, file = tmp_path / "some.whl", tmp_path / "some.co"
    file.write_bytes(b"code")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("hsa/gfx942/some.co", b"other code")
    assert content_of(file) == b"code"
    assert content_of(wheel / "hsa/gfx942/some.co") == b"other code"
    assert content_of(wheel).startswith(b"PK")


def test_what_is_not_there_is_an_error_of_files(tmp_path: Path) -> None:
    wheel, file = tmp_path / "some.whl", tmp_path / "some.co"
    file.write_bytes(b"code")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a.co", b"")
    for path, why in (
        (wheel / "b.co", "some.whl has no such member"),
        (file / "b.co", "no folder and no archive"),
        (tmp_path / "none.whl" / "b.co", "No such file"),
    ):
        with pytest.raises(OSError, match=why):
            content_of(path)
