import { type NewsFrequency, type NewsKind, newsFrequencies, newsKinds, utc } from '#core';
import { field, ownerFields } from '../../components/fields.ts';
import { optionsOf } from '../../components/lists.ts';
import { table } from '../../components/table.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing, success } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { settingsPage } from '../../settings/settings-page.ts';

const path = '/desk/settings/mails';

const timeZones = [utc, ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== utc)];

async function mailsPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, mails, query, language } = context;
  const { mails: words } = language.m.settings;
  const settings = await useCases.investor.readOwnMailSettings(caller);
  const frequencies = newsFrequencies.map((each) => [each, words.frequencies[each]] as const);
  const choice = (kind: NewsKind): Html =>
    html`<select name="${kind}" aria-label="${words.kinds[kind]}">${optionsOf(frequencies, settings.choices[kind])}</select>`;
  const rows = newsKinds.map((kind) => [words.kinds[kind], choice(kind)]);
  return settingsPage('mails', context, {
    // The page is never refreshed by data changes, because a refresh would disturb a form that the user fills in.
    live: {},
    ...(query.done === 'saved' && { notice: success(words.saved) }),
    main: html`<p class="lead">${words.lead(caller.email)}</p>
${mails.notices ? nothing : html`<p class="notice">${words.noMail}</p>`}
<form method="post" action="${path}" class="stack">${ownerFields(context)}
${table({ label: words.tableTitle, columns: [words.what, words.when], rows, isBlocks: true })}
${field({ id: 'time_zone', label: words.timeZone, hint: words.timeZoneHint, input: (attributes) => zoneSelect(attributes, settings) })}
<button class="primary">${language.m.save}</button></form>`,
  });
}

/** A list of time zones. If the person has no time zone yet, a script selects the browser's time zone. */
function zoneSelect(
  attributes: Html,
  { timeZone, isTimeZoneKnown }: { readonly timeZone: string; readonly isTimeZoneKnown: boolean },
): Html {
  const zones = timeZones.includes(timeZone) ? timeZones : [timeZone, ...timeZones];
  const options = zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const);
  return html`<select ${attributes} name="time_zone"${isTimeZoneKnown ? nothing : html` data-zone`}>${optionsOf(options, timeZone)}</select>`;
}

export const mailRoutes = [
  forInvestors.get('/settings/mails', mailsPage),
  forInvestors.post('/settings/mails', async ({ useCases, caller, form, language }) => {
    // The use case rejects unknown values.
    const chosen = newsKinds.map((kind) => [kind, form.text(kind) as NewsFrequency] as const);
    await useCases.investor.saveOwnMailSettings(caller, {
      language: language.tag,
      timeZone: form.text('time_zone') ?? utc,
      choices: Object.fromEntries(chosen) as Record<NewsKind, NewsFrequency>,
    });
    return { to: `${path}?done=saved` };
  }),
];
