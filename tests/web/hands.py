"""Two hands that use the page: a mouse, and the keyboard alone, which goes by what a screen reader says."""

from __future__ import annotations

from typing import Protocol

from playwright.sync_api import Locator, Page, expect

MOST_TABS = 200


class Hand(Protocol):
    """``page`` is what it uses."""

    page: Page

    def press(self, control: Locator) -> None:
        """Use a link or a button."""

    def search(self, text: str) -> None:
        """Search from wherever one is, and open the first hit."""

    def view(self, key: str, name: str) -> None:
        """Show the answer (a), its graph (v) or its table (t)."""

    def select(self, way: list[tuple[str, str]]) -> None:
        """Open the panel of a node of the drawing; ``way`` leads there: names as spoken, and references."""

    def choose(self, menu: Locator, value: str) -> None:
        """Choose from a menu."""

    def write(self, field: Locator, text: str) -> None:
        """Write into a field."""


class Mouse:
    """Clicks on what it sees."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, control: Locator) -> None:
        control.click()

    def search(self, text: str) -> None:
        self.page.locator("#find-text").fill(text)
        self.page.locator("#find-text-hits [role=option]").first.click()

    def view(self, key: str, name: str) -> None:
        self.page.get_by_role("navigation", name="Views of this answer").get_by_text(name).click()

    def select(self, way: list[tuple[str, str]]) -> None:
        self.page.locator(f'.canvas [data-id="{way[-1][1]}"]').click()

    def choose(self, menu: Locator, value: str) -> None:
        menu.select_option(value)

    def write(self, field: Locator, text: str) -> None:
        field.fill(text)


class Keyboard:
    """Presses keys, and knows only where the focus is."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, control: Locator) -> None:
        self._reach(control)
        self.page.keyboard.press("Enter")

    def search(self, text: str) -> None:
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)
        expect(self.page.locator("[role=option]").first).to_be_visible()
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")

    def view(self, key: str, name: str) -> None:
        self.page.keyboard.press("g")
        self.page.keyboard.press(key)

    def select(self, way: list[tuple[str, str]]) -> None:
        self._reach(self.page.locator(".canvas [tabindex='0']"))
        for name, ref in way:
            self._to_cause(name, ref)
        self.page.keyboard.press("Enter")

    def choose(self, menu: Locator, value: str) -> None:
        self._reach(menu)
        for _ in range(menu.locator("option").count()):
            if menu.input_value() == value:
                return
            before = menu.input_value()
            self.page.keyboard.press("ArrowDown")
            expect(menu).not_to_have_value(before)
            expect(menu).to_be_focused()
        raise AssertionError(f"no {value} in the menu")

    def write(self, field: Locator, text: str) -> None:
        self._reach(field)
        self.page.keyboard.type(text)

    def _reach(self, control: Locator) -> None:
        """Press Tab until the control has the focus."""
        control.first.wait_for()
        for _ in range(MOST_TABS):
            if control.first.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{control} is not reached by Tab")

    def _to_cause(self, name: str, ref: str) -> None:
        """From a node along the line that is spoken with this name; several may be called alike."""
        for line in range(12):
            for key in ("ArrowLeft", *["ArrowDown"] * line):
                self.page.keyboard.press(key)
            if name in self._focused("getAttribute('aria-label')"):
                self.page.keyboard.press("ArrowLeft")
                if self._focused("dataset.id") == ref:
                    return
                self.page.keyboard.press("ArrowRight")
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(f"no line is spoken as leading to {name}")

    def _focused(self, what: str) -> str:
        return str(self.page.evaluate(f"document.activeElement.{what}"))
