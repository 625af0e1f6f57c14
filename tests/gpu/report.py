"""What a run found, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.gpu.finding import Finding
from tests.gpu.timing import Timing


@dataclass
class Report:
    """Filled while the checks run, so that what was found is there even if one of them ends the run."""

    machine: dict[str, str]
    parity: list[Finding] = field(default_factory=list)
    exactness: list[Finding] = field(default_factory=list)
    probes: list[Finding] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    copy_gigabytes_per_s: float = 0.0
    seconds: float = 0.0
    left_out: list[str] = field(default_factory=list)

    @property
    def failures(self) -> list[Finding]:
        """Comparisons that do not hold; probes are not among them."""
        return [finding for finding in (*self.parity, *self.exactness) if not finding.holds]

    def write(self, folder: Path) -> None:
        """Put kernels.json and kernels.txt into a folder, which is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernels.json").write_text(json.dumps(self._data(), indent=1))
        (folder / "kernels.txt").write_text(self.text())

    def text(self) -> str:
        """A table of each part."""
        lines = [f"{name}: {value}" for name, value in self.machine.items()]
        lines += [f"seconds: {self.seconds:.0f}", f"copy bandwidth: {self.copy_gigabytes_per_s:.0f} GB/s", ""]
        for title, findings in (("parity", self.parity), ("exactness", self.exactness), ("probes", self.probes)):
            held = sum(finding.holds for finding in findings)
            lines += [f"{title}: {held} of {len(findings)} hold", *map(_line, findings), ""]
        return "\n".join([*lines, *_timing_lines(self.timings, self.copy_gigabytes_per_s), *self.left_out, ""])

    def _data(self) -> dict[str, object]:
        findings = {name: _rows(getattr(self, name)) for name in ("parity", "exactness", "probes")}
        timings = [timing.row(self.copy_gigabytes_per_s) for timing in self.timings]
        summary = {"failures": len(self.failures), "seconds": self.seconds, "left_out": self.left_out}
        bandwidth = {"copy_gigabytes_per_s": self.copy_gigabytes_per_s}
        return {"machine": self.machine, **summary, **bandwidth, **findings, "timings": timings}


def _rows(findings: Sequence[Finding]) -> list[dict[str, object]]:
    return [{**finding._asdict(), "holds": finding.holds} for finding in findings]


def _line(finding: Finding) -> str:
    mark = "  " if finding.holds else "NO"
    return f"{mark} {finding.operation:20} {finding.error:10.3g} <= {finding.bound:<10.3g} {finding.case}"


def _timing_lines(timings: Sequence[Timing], copy_gigabytes_per_s: float) -> list[str]:
    head = f"{'operation':18} {'case':24} {'us':>9} {'torch us':>9} {'x torch':>8}"
    head += f" {'GB/s':>7} {'to copy':>8} {'TFLOP/s':>8}"
    return [head, *(_timing_line(timing, copy_gigabytes_per_s) for timing in timings)] if timings else []


def _timing_line(timing: Timing, copy_gigabytes_per_s: float) -> str:
    share = timing.gigabytes_per_s / copy_gigabytes_per_s
    times = f"{timing.micros:9.1f} {timing.peer_micros:9.1f} {timing.peer_micros / timing.micros:8.2f}"
    rates = f"{timing.gigabytes_per_s:7.0f} {share:8.2f} {timing.teraflops:8.1f}"
    return f"{timing.operation:18} {timing.case:24} {times} {rates}"
