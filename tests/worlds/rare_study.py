"""A made study in the published layout, as large as one likes, in which most categories are rare."""

import random
from pathlib import Path

SHARES = {
    "C.1": 60.0,
    "B.2": 30.0,
    "C.9": 6.0,
    "A.1": 3.0,
    "B.4": 0.5,
    "C.2": 0.3,
    "A.2": 0.1,
    "C.6": 0.05,
    "B.3": 0.01,
}
"""In percent of the issues, roughly: the rarest are on four issues of 40,000."""
VOLUNTEERS = 7


def write_rare_study(folder: Path, issues: int, seed: int = 19) -> Path:
    """Seven volunteers and eleven repositories; nine labels of ten are the category of the issue."""
    draw = random.Random(seed)
    codes, weights = list(SHARES), list(SHARES.values())
    heads = ",".join(f"Label{number + 1}" for number in range(VOLUNTEERS))
    for number in range(11):
        name = f"framework-{number + 1}"
        rows, listed = [], []
        for issue in range(issues // 11 + (number < issues % 11)):
            [final] = draw.choices(codes, weights)
            labels = [final] * VOLUNTEERS
            if draw.random() > 0.5:
                labels = [final if draw.random() < 0.9 else draw.choices(codes, weights)[0] for _ in labels]
            url = f"https://github.com/made/{name}/issues/{issue + 1}"
            rows.append(f"{url},{','.join(labels)},{final}\n")
            listed.append(f"{url}\n")
        (folder / name).mkdir(parents=True)
        (folder / name / f"{name}.csv").write_text(f"Issue_URL,{heads},Final_Label\n{''.join(rows)}")
        (folder / name / f"{name}_2024.txt").write_text("".join(listed))
    return folder
