# %% [markdown]
# # Burn and runway
# Reads two histories of a company and plots them: `plot.py [COMPANY [FILE]]`. Editors that support `# %%` run it as a
# notebook.

# %%
import os
import sys
from datetime import date

from client import Client

try:
    import matplotlib
except ImportError:
    sys.exit("nothing is plotted: matplotlib is not installed (Debian: python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

company_id = sys.argv[1] if len(sys.argv) > 1 else "co_harbor"
file = sys.argv[2] if len(sys.argv) > 2 else "burn.png"
client = Client(os.environ.get("PORTFOLIO_ACCESS_URL", "http://127.0.0.1:3000"), os.environ["KEY"])


# %%
def history(key):
    values = client.get(f"/v1/companies/{company_id}/metrics/{key}/history")["data"]
    return [date.fromisoformat(value["period"]) for value in values], values


company = client.get(f"/v1/companies/{company_id}")
months, burn = history("burn_rate")
runway_months, runway = history("runway")

# %%
figure, (above, below) = plt.subplots(2, sharex=True, figsize=(9, 6), layout="constrained")
figure.suptitle(f"{company['name']}: burn and runway")
above.bar(months, [float(value["raw_value"]) / 1e3 for value in burn], width=22, color="#4a4fd8")
above.set_ylabel(f"net burn, thousand {burn[-1]['currency']}")
below.plot(runway_months, [float(value["raw_value"]) for value in runway], color="#0a6b46", linewidth=2)
below.axhline(6, color="#b02a37", linestyle="--", linewidth=1)
below.set_ylabel("runway, months")
below.set_ylim(bottom=0)
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
figure.savefig(file, dpi=120)
print(f"{file}: {len(burn)} months of {company['name']}")
