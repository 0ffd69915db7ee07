import { expect, it } from 'vitest';
import type { TestService } from '../support/service.ts';
import { addReader, companyWithRequest, decode, describeDesk, plain } from './desk.ts';

const today = () => new Date().toISOString().slice(0, 10);

const timelineOf = (text: string) =>
  [
    ...text.matchAll(
      /<summary><strong>(.*?)<\/strong>(?:(?!<summary>).)*?<ol class="timeline">(.*?)<\/ol>/gs,
    ),
  ].flatMap(([, name = '', list = '']) =>
    [...list.matchAll(/<li[^>]*>(.*?)<span/gs)].map(
      ([, item = '']) => `${plain(name)} ${plain(item)}`,
    ),
  );

/** Returns the rows of two tables: reads per investor and reads per metric. */
const comparedIn = (text: string) =>
  [
    ...text.matchAll(
      /<tr><th scope="row">((?:(?!<tr>).)*?)<\/th>((?:(?!<tr>).)*?)<div class="small">/gs,
    ),
  ].map(([, name = '', cells = '']) => [
    plain(name),
    ...[...cells.matchAll(/<td class="number">(.*?)<\/td>/g)].map(([, n = '']) => Number(plain(n))),
  ]);

function plotsOf(text: string) {
  return [...text.matchAll(/<figure.*?<\/figure>/gs)].map(([figure]) => {
    const most = Number(/<p class="tick"[^>]*>(\d+)</.exec(figure)?.[1]);
    const barsOf = (name: string) =>
      [
        ...(new RegExp(`<path class="${name}" d="([^"]*)"`).exec(figure)?.[1] ?? '').matchAll(
          /M[\d.]+ ([\d.]+)V([\d.]+)/g,
        ),
      ]
        .map(([, from, to]) => Math.round(((Number(from) - Number(to)) / 100) * most))
        .reduce((sum, count) => sum + count, 0);
    const cells = [...figure.matchAll(/<td[^>]*>(\d+)<\/td>/g)].map(([, n]) => Number(n));
    const column = (start: number) =>
      cells.filter((_, index) => index % 2 === start).reduce((sum, count) => sum + count, 0);
    return {
      name: plain(/<h3>(.*?)<\/h3>/s.exec(figure)?.[1] ?? ''),
      table: [column(0), column(1)],
      bars: [barsOf('read'), barsOf('refused')],
      description: plain(/<desc[^>]*>(.*?)<\/desc>/s.exec(figure)?.[1] ?? ''),
    };
  });
}

describeDesk('the reads of a company', (given) => {
  const read = ({ get }: TestService, companyId: string, key: string, path: string) =>
    get(`/v1/companies/${companyId}/${path}`, key);

  /** A company whose data two investors read. One of them is also refused twice. */
  async function watched(service: TestService) {
    const made = await companyWithRequest(service, ['metrics:read', 'accounts:read']);
    const { company, key } = made;
    await service.operator.approveAccessRequest({ id: made.requestId });
    const other = await addReader(service, company.id);
    const paths = ['metrics', 'metrics/headcount', 'metrics/headcount/history', 'accounts'];
    for (const path of paths) {
      expect((await read(service, company.id, key, path)).status).toBe(200);
    }
    expect((await read(service, company.id, other.key, 'metrics/cash_balance')).status).toBe(200);
    for (let count = 0; count < 2; count += 1) {
      expect((await read(service, company.id, key, 'sources')).status).toBe(403);
    }
    // The service stores the record of a refusal shortly after the answer.
    await expect
      .poll(async () => timelineOf((await made.contact.get('/desk/activity')).text).length)
      .toBe(7);
    return { ...made, other };
  }

  it('are listed newest first, with the investor, the data and the reason of each refusal in plain words', async () => {
    const service = given();
    const { contact, investor, other } = await watched(service);
    const shown = timelineOf((await contact.get('/desk/activity')).text);
    const refused = `${investor.name} asked for your sources and was refused: no access`;
    expect(shown.filter((line) => line === refused)).toHaveLength(2);
    const others = shown.filter((line) => line !== refused);
    expect(others.filter((line) => line.startsWith(other.investor.name))).toEqual([
      `${other.investor.name} read your metric Cash balance`,
    ]);
    expect(others.filter((line) => line.startsWith(investor.name))).toEqual([
      `${investor.name} read your accounts`,
      `${investor.name} read the history of your metric Headcount`,
      `${investor.name} read your metric Headcount`,
      `${investor.name} read your metrics`,
    ]);
  });

  it('are plotted with the same numbers that the tables and the list show', async () => {
    const service = given();
    const { contact, investor, other } = await watched(service);
    const { text } = await contact.get('/desk/activity');
    const plots = plotsOf(text);
    for (const { bars, table } of plots) expect(bars).toEqual(table);
    expect(plots.map(({ name, table }) => [name, ...table])).toEqual([['Total', 5, 2]]);
    expect(comparedIn(text)).toEqual([
      [investor.name, 4, 2],
      [other.investor.name, 1, 0],
      ['Reads of all metrics, accounts or sources', 2, 2],
      ['Headcount', 2, 0],
      ['Cash balance', 1, 0],
    ]);
    expect(plots[0]?.description).toContain('read 5 times and was refused 2 times');
  });

  it('can be filtered by investor, scope and dates, and the links of the page keep the filter', async () => {
    const service = given();
    const { contact, investor, other } = await watched(service);
    const show = async (query: string) => (await contact.get(`/desk/activity?${query}`)).text;
    const ofOther = await show(`investor=${other.investor.id}`);
    expect(timelineOf(ofOther)).toEqual([`${other.investor.name} read your metric Cash balance`]);
    expect(plotsOf(ofOther).map(({ table }) => table)).toEqual([[1, 0]]);
    const ofAccounts = await show('scope=accounts%3Aread');
    expect(timelineOf(ofAccounts)).toEqual([`${investor.name} read your accounts`]);
    expect(timelineOf(await show(`since=${today()}`))).toHaveLength(7);
    expect(timelineOf(await show('until=2001-01-01'))).toEqual([]);
    const both = await show(`investor=${investor.id}&scope=metrics%3Aread&since=2020-01-01`);
    expect(timelineOf(both)).toHaveLength(3);
    expect(plotsOf(both)[0]?.table).toEqual([3, 0]);
    expect(decode(both)).toContain(
      `/desk/activity.csv?investor=${investor.id}&scope=metrics%3Aread&since=2020-01-01`,
    );
    expect(both).toContain(`<option value="${investor.id}" selected>${investor.name}</option>`);
  });

  it('can’t be filtered by an invalid date, because the page shows an error next to the field', async () => {
    const { contact } = await companyWithRequest(given());
    const queries = [
      'since=2026-02-30',
      'until=0001-01-01',
      'until=tomorrow',
      'since=2026-11-02&until=2026-11-01',
    ];
    for (const query of queries) {
      const { status, text } = await contact.get(`/desk/activity?${query}`);
      expect(status, query).toBe(422);
      expect(text).toMatch(/aria-describedby="(?:since|until)-error" aria-invalid="true"/);
      const download = await contact.get(`/desk/activity.csv?${query}`);
      expect(download).toMatchObject({ status: 303, location: `/desk/activity?${query}` });
    }
  });

  /** A watched company with more records than fit on a page or into one piece of a file. All tests share it. */
  let read212: ReturnType<typeof watched> | undefined;
  const watchedLong = () => {
    read212 ??= watched(given()).then(async (made) => {
      for (let count = 0; count < 205; count += 1) {
        await read(given(), made.company.id, made.key, 'metrics');
      }
      return made;
    });
    return read212;
  };

  it('are listed on pages without gaps or duplicates, and counted only on the first page', async () => {
    const { contact, investor } = await watchedLong();
    const first = await contact.get('/desk/activity?scope=accounts%3Aread');
    expect(timelineOf(first.text)).toHaveLength(1);
    // The page groups records by investor, so this filters by investor.
    const newest = await contact.get(`/desk/activity?investor=${investor.id}`);
    expect(newest.text).toContain('These numbers cover 200 reads');
    expect(first.text).not.toContain('These numbers cover');
    const older = decode(/rel="next" href="([^"]+)"/.exec(newest.text)?.[1] ?? '');
    const oldest = await contact.get(older);
    const shown = [newest, oldest].map(({ text }) => timelineOf(text).length);
    expect(shown).toEqual([200, 11]);
    const instants = [newest, oldest].flatMap(({ text }) =>
      [...text.matchAll(/<span class="hint"><time datetime="([^"]+)" data-time="exact"/g)].map(
        ([, at]) => at,
      ),
    );
    expect(instants).toEqual(instants.toSorted().toReversed());
    expect(plotsOf(newest.text)[0]?.table).toEqual([209, 2]);
    expect(plotsOf(oldest.text)).toEqual([]);
    expect(oldest.text).not.toContain('rel="next"');
  });

  it('appear without a reload on every page that shows reads', async () => {
    const { contact } = await companyWithRequest(given());
    for (const path of ['/desk/activity', '/desk/grants']) {
      expect((await contact.get(path)).text).toMatch(/data-live="[^"]*&amp;look=reads"/);
    }
    expect((await contact.get('/desk/requests')).text).toMatch(/data-live="[^"&]*"/);
  });
});
