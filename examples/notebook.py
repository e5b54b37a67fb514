"""Run a benchmark with a function as the agent. Every line works the same in a notebook's cells."""

import touchstone

BENCHMARK = touchstone.bird(limit=6)  # the dataset that ships; your own: touchstone.bird("dev.json", "dev_databases")


def my_agent(question: str, database: str) -> str:
    """From question to SQL, by whatever means."""
    return "SELECT count(*) FROM sqlite_master"


async def exploring_agent(stage: touchstone.Stage) -> None:
    """Makes its own calls: looks at the schema, then hands in."""
    seen = await stage.call(touchstone.ToolCall("1", "execute_sql", '{"sql": "SELECT name FROM sqlite_master"}'))
    table = seen.text.split()[-1]
    await stage.call(touchstone.ToolCall("2", "submit_sql", f'{{"sql": "SELECT count(*) FROM {table}"}}'))


def main() -> None:
    ceiling = touchstone.run(BENCHMARK, "oracle")
    assert ceiling.accuracy == 1.0, "gold must pass before a number means anything"

    results = touchstone.run(BENCHMARK, my_agent, parallel=4)
    low, high = results.interval
    print(f"accuracy {results.accuracy:.1%}, 95% interval {low:.1%} to {high:.1%}, n = {results.n}")
    for record in results.failures:
        print(f"{record.task}: {record.reason}")

    print(repr(touchstone.run(BENCHMARK, exploring_agent)))
    rows = results.table()  # pandas.DataFrame(rows) takes it as it is
    print(f"{len(rows)} rows: {', '.join(rows[0])}")


if __name__ == "__main__":
    main()
