"""What the two images are: shape, freshness, sameness everywhere, names of all kinds, no display."""

from __future__ import annotations

import ast
import copy
import hashlib
import os
import pickle
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import quack_env
from quack_env.encode.image import LARGEST, SMALLEST, TEXT_FROM, ImageEncoder, data_uri, image_sizes, to_png
from quack_env.errors import ConfigError
from quack_env.game_map import GameMap
from quack_env.render import text, theme
from quack_env.render.layers import Layers, layers
from quack_env.view import View

from .situations import NAMES, crowd, deal, meeting, moments, transit

WIDE_ALICE = "\uff41\uff4c\uff49\uff43\uff45"
UNICODE_NAMES = (
    "太郎",
    "花子",
    "Žofie",
    "Ágúst",
    "Жанна",
    "Ελένη",
    "🦆🦆🦆",
    "नेहा",
    WIDE_ALICE,
    "Z͑ͫ̓a͏̙l",
    "ﬁﬁ",
    "محمد",
    "J太n",
    "\U0001d50d\U0001d52c",
    "ÅÇÖ",
    "x",
)
SIZES = (64, 65, 100, 128, 199, 200, 256, 383, 384, 511, 768, 1024)


def views(seed: int = 3) -> list[tuple[ImageEncoder, View]]:
    """Views of all phases, in rooms and corridors."""
    game = deal("small", seed, n_players=7, n_ducks=2, kill_cooldown=1, max_ticks=30)
    return [
        (ImageEncoder(now.briefing), now.view(i)) for now in moments(game, seed, every=7, most=300) for i in range(7)
    ]


@pytest.mark.parametrize("size", SIZES)
def test_images_are_fresh_arrays_of_their_size(size: int) -> None:
    game = deal("ship")
    encoder = ImageEncoder(game.briefing, size)
    view = game.view(0)
    for draw in (encoder.global_map, encoder.local_view):
        first = draw(view)
        assert first.shape == (size, size, 3)
        assert first.dtype == np.uint8
        assert first.flags.c_contiguous and first.flags.writeable and first.flags.owndata
        kept = first.copy()
        first[:] = 0
        assert (draw(view) == kept).all()
        assert kept.min() != kept.max()


def test_the_two_images_may_differ_in_size() -> None:
    game = deal("ship")
    encoder = ImageEncoder(game.briefing, (512, 64))
    assert encoder.global_map(game.view(0)).shape == (512, 512, 3)
    assert encoder.local_view(game.view(0)).shape == (64, 64, 3)
    assert (encoder.local_view(game.view(0)) == ImageEncoder(game.briefing, 64).local_view(game.view(0))).all()


@pytest.mark.parametrize("bad", [0, 63, LARGEST + 1, True, 64.0, "64", None, (64,), (64, 64, 64), (64, 10)])
def test_a_size_that_cannot_be_is_refused(bad: object) -> None:
    with pytest.raises(ConfigError, match="image_size="):
        image_sizes(bad)


def test_sizes_that_can_be() -> None:
    assert image_sizes(64) == (64, 64)
    assert image_sizes([SMALLEST, 768]) == (64, 768)
    assert image_sizes(np.int64(100)) == (100, 100)


def test_every_view_of_a_game_can_be_drawn_at_every_size() -> None:
    for number, (encoder, view) in enumerate(views()):
        size = SIZES[number % len(SIZES)]
        sized = ImageEncoder(encoder.briefing, size)
        assert sized.global_map(view).shape == sized.local_view(view).shape == (size, size, 3)


def test_the_dead_are_told_nothing_but_that() -> None:
    game = deal("small", 1, n_players=7, n_ducks=2, kill_cooldown=1)
    pictures = set()
    for now in moments(game, 1, most=400):
        for i in range(7):
            if not now.state.alive >> i & 1:
                view = now.view(i)
                view.tick = 0
                encoder = ImageEncoder(now.briefing, 384)
                pictures.add((i, hashlib.sha256(encoder.local_view(view).tobytes()).hexdigest()))
    assert pictures
    assert len({i for i, _ in pictures}) == len(pictures)


# Small pictures are flat


def test_small_pictures_have_only_colours_of_the_theme() -> None:
    known = {value for value in vars(theme).values() if isinstance(value, tuple) and len(value) == 3}
    known |= {*theme.SEATS, *theme.PHASES, *theme.EXTRAS, *(theme.way_colour(t) for t in range(1, 61))}
    for encoder, view in views()[::5]:
        for size in (64, 100, 199):
            sized = ImageEncoder(encoder.briefing, size)
            for image in (sized.global_map(view), sized.local_view(view)):
                used = {tuple(map(int, colour)) for colour in np.unique(image.reshape(-1, 3), axis=0)}
                assert used <= known


def test_players_are_told_apart_without_colours() -> None:
    cells = [set(glyph) for glyph in theme.GLYPHS]
    assert len(cells) == 16
    for s, one in enumerate(cells):
        assert all(0 <= x < theme.GLYPH and 0 <= y < theme.GLYPH for x, y in one)
        for other in cells[:s]:
            assert len(one ^ other) >= 8
        assert len(one) <= theme.GLYPH**2 - 8  # the colour behind, which says whether it lives, shows too
    assert len(set(theme.SHAPES)) == 8


def seen_by_the_colour_blind(colour: tuple[int, int, int], kind: str) -> np.ndarray:
    """Linear RGB as a dichromat sees it (Viénot, Brettel and Mollon 1999; tritanopia after Machado et al. 2009)."""
    linear = (np.array(colour) / 255) ** 2.2
    matrix = {
        "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
        "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    }[kind]
    return np.clip(np.array(matrix) @ linear, 0, 1) ** (1 / 2.2) * 255


@pytest.mark.parametrize("kind", ["protan", "deutan", "tritan"])
def test_colours_with_a_meaning_are_safe_for_the_colour_blind(kind: str) -> None:
    groups = (
        (theme.CELL, theme.TODO_ROOM, theme.DONE_ROOM, theme.ME),
        (theme.ROOM, theme.BUTTON_ROOM),
        (theme.CELL, theme.BODY_CELL),
        (theme.FROM, theme.TO),
        (theme.TODO, theme.DONE, theme.FLOOR),
        tuple(theme.way_colour(t) for t in (1, 2, 3, 4)),
        theme.SEATS[:6],
    )
    for group in groups:
        shades = [seen_by_the_colour_blind(colour, kind) for colour in group]
        for s, one in enumerate(shades):
            for other in shades[:s]:
                assert np.abs(one - other).max() > 24, (group, kind)


def test_corridors_of_every_weight_have_their_own_colour() -> None:
    assert len({theme.way_colour(ticks) for ticks in range(1, 61)}) == 60


# Names


@pytest.mark.parametrize("size", [64, 256, 384, 768])
def test_names_of_any_script(size: int) -> None:
    for names in (UNICODE_NAMES, NAMES):
        game = deal("ship", 2, n_players=16, n_ducks=3, names=names)
        view = game.view(0)
        view.here = 0b1111111111110
        view.bodies = 0b1110000000000000
        encoder = ImageEncoder(game.briefing, size)
        assert encoder.local_view(view).shape == (size, size, 3)
        assert encoder.global_map(view).shape == (size, size, 3)


def test_names_as_drawn_are_legible_and_tell_players_apart() -> None:
    game = deal("ship", 2, n_players=16, n_ducks=3, names=UNICODE_NAMES)
    public = ImageEncoder(game.briefing, 384).public
    assert len(set(public.names)) == 16
    for seat, (name, drawn) in enumerate(zip(game.briefing.names, public.names, strict=True)):
        assert drawn
        assert all(text.has_glyph(c) for c in drawn)
        assert len(public.letters[seat]) == 1 and text.has_glyph(public.letters[seat])
        if all(text.has_glyph(c) for c in name):
            assert drawn == name
    by_name = dict(zip(game.briefing.names, public.names, strict=True))
    assert by_name["Žofie"] == "Žofie"
    assert by_name[WIDE_ALICE] == "alice"
    assert by_name["太郎"] == f"player #{game.briefing.names.index('太郎')}"
    assert by_name["J太n"] == f"J?n #{game.briefing.names.index('J太n')}"


def test_missing_letters_are_not_drawn_as_boxes() -> None:
    assert not text.has_glyph("太") and not text.has_glyph("\u0301") and not text.has_glyph("\uffff")
    assert text.has_glyph("é") and text.has_glyph("Ж") and text.has_glyph("…")
    assert text.legible("Z͑ͫ̓a͏̙l\n  go \u202e太") == "Zal go ?"


def test_text_lies_within_its_line() -> None:
    for size in (7, 9, 17, 30):
        for words in ("ÅÇÖ", "gjpqy", "ΆЙ", "W" * 16):
            cells = text.coverage(words, size)
            assert cells.shape == (text.line_height(size), text.width(words, size))
            assert cells.max() == 255


def test_fitting() -> None:
    assert text.fit("medbay", 10, 500) == "medbay"
    assert text.fit("medbay", 10, 1) == ""
    assert text.fit_middle("section_number_11", 10, 60).endswith("11")
    for room in (20, 40, 90):
        for lines in (1, 2, 3, 6):
            wrapped = text.wrap("a verylongwordthatdoesnotfitanywhere and some more words behind it", 10, room, lines)
            assert 1 <= len(wrapped) <= lines
            assert all(text.width(line, 10) <= room for line in wrapped)
    assert "".join(text.break_name("upper_engine", 10, 40, 2) or ()) == "upper_engine"
    assert text.break_name("decontamination", 10, 60, 1) is None


# The same everywhere


def pictures() -> list[np.ndarray]:
    """Some of each kind."""
    out = []
    for size in (64, 150, 256, 384, 768):
        for game, view in (crowd("ship", 6, 2, events=9), meeting("large", 9, 3, events=4), transit("large", 5, 1)):
            encoder = ImageEncoder(game.briefing, size)
            out += [encoder.global_map(view), encoder.local_view(view)]
    return out


def test_another_process_draws_the_same_pixels_without_a_display() -> None:
    here = hashlib.sha256(b"".join(p.tobytes() for p in pictures())).hexdigest()
    root = Path(__file__).parents[2]
    code = (
        "import hashlib, sys; from tests.render.test_images import pictures; import pygame; "
        "print(hashlib.sha256(b''.join(p.tobytes() for p in pictures())).hexdigest(), pygame.display.get_init())"
    )
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    for hash_seed in ("0", "1"):
        env |= {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, cwd=root, capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == [here, "False"]  # nothing else: the greeting of pygame neither


def test_an_encoder_can_be_pickled_and_copied() -> None:
    game = deal("ship")
    encoder = ImageEncoder(game.briefing, (384, 64))
    view = game.view(1)
    expected = encoder.global_map(view), encoder.local_view(view)
    for other in (pickle.loads(pickle.dumps(encoder)), copy.deepcopy(encoder)):
        assert other.sizes == (384, 64)
        assert (other.global_map(view) == expected[0]).all()
        assert (other.local_view(view) == expected[1]).all()


def test_layers_are_shared_by_maps_of_the_same_content() -> None:
    one, other = deal("ship", 1), deal(GameMap.from_dict(GameMap.load("ship").to_dict()), 2)
    first, second = ImageEncoder(one.briefing, 384), ImageEncoder(other.briefing, 384)
    first.global_map(one.view(0))
    second.global_map(other.view(0))
    assert first._layer is second._layer
    assert first._layer is not None and not first._layer.flags.writeable


def test_layers_are_bounded() -> None:
    store = Layers(most=10_000)
    for k in range(10):
        store.get(k, lambda: np.zeros((50, 50, 1), np.uint8))
    assert len(store._kept) == 4
    assert layers.most >= 2**26


# What the encoder can reach


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return names | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def test_encoders_cannot_reach_the_state_or_the_spectator() -> None:
    root = Path(quack_env.__file__).parent
    pending, seen = ["quack_env.encode.image"], set[str]()
    while pending:
        module = pending.pop()
        seen.add(module)
        path = root.joinpath(*module.split(".")[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if module.startswith(("quack_env.render", "quack_env.encode")):
            pending += [name for name in imported(path) if name.startswith("quack_env.") and name not in seen]
    drawing = {module for module in seen if module.startswith("quack_env.render")}
    assert drawing - {"quack_env.render"} == {f"quack_env.render.{name}" for name in DRAWING}
    assert not seen & {"quack_env.game", "quack_env.rules", "quack_env.aec", "quack_env.base"}
    for name in DRAWING:
        path = root / "render" / f"{name}.py"
        state = [
            alias.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module == "quack_env.state"
            for alias in node.names
        ]
        assert "State" not in state


DRAWING = (
    *("draw", "global_map", "items", "layers", "layout", "local_view", "png", "symbols", "text", "theme", "words"),
)


# PNG


def unpacked(png: bytes) -> np.ndarray:
    """The pixels of one of our PNG files."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png.endswith(b"IEND\xaeB`\x82")
    w, h = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    start = png.index(b"IDAT")
    size = int.from_bytes(png[start - 4 : start], "big")
    data = png[start + 4 : start + 4 + size]
    assert int.from_bytes(png[start + 4 + size : start + 8 + size], "big") == zlib.crc32(b"IDAT" + data)
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(h, 3 * w + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(h, w, 3)


def test_png_round_trip() -> None:
    import io

    import pygame

    game, view = crowd("ship", 5, 2, events=4)
    for size in (64, 384):
        for image in (ImageEncoder(game.briefing, size).local_view(view), np.zeros((1, 7, 3), np.uint8)):
            png = to_png(image)
            assert (unpacked(png) == image).all()
            loaded = pygame.image.load(io.BytesIO(png))
            assert pygame.image.tobytes(loaded, "RGB") == image.tobytes()
            assert to_png(image[::-1][::-1]) == png
    assert data_uri(image).startswith("data:image/png;base64,iVBORw0KGgo")


@pytest.mark.parametrize(
    "bad", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros((4, 4, 4), np.uint8)]
)
def test_png_of_something_else_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint8"):
        to_png(bad)


def test_text_begins_where_it_says() -> None:
    game = deal("ship")
    colours = {
        size: len(np.unique(ImageEncoder(game.briefing, size).global_map(game.view(0)).reshape(-1, 3), axis=0))
        for size in (TEXT_FROM - 1, TEXT_FROM)
    }
    assert colours[TEXT_FROM - 1] < 16 < colours[TEXT_FROM]
