import { type CompanyNews, maxNameLength, type WrittenNews } from '#core';
import { maxSubjectNameLength } from './content.ts';
import type { Letter, MailContent } from './letter.ts';
import { toOneLine } from './safe-text.ts';

/** A mail lists at most this many companies and names. For the rest, the mail contains only their number. */
const maxCompanies = 100;
const maxNames = 5;

/** Writes a mail to a contact of an investor. The mail names companies, metrics and sources, but contains no values. */
export const writeNews =
  ({ kind, name, news }: Pick<WrittenNews, 'kind' | 'name' | 'news'>) =>
  (letter: Letter): MailContent => {
    const { links, number, words } = letter;
    const investor = toOneLine(name, maxNameLength);
    const shown = news.slice(0, maxCompanies).flatMap((company) => linesOf(company, letter));
    const more = news.length - maxCompanies;
    const [first] = news;
    const companyId = kind === 'news' ? first?.companyId : undefined;
    const button =
      companyId === undefined
        ? { button: words.news.open, to: `${links.desk}/portfolio` }
        : {
            button: words.news.openCompany,
            to: `${links.desk}/portfolio/${encodeURIComponent(companyId)}`,
          };
    return {
      subject: subjectOf({ kind, news }, letter),
      blocks: [
        { text: words.news.lead(investor) },
        { list: more > 0 ? [...shown, words.news.moreCompanies(number(more))] : shown },
        ...(links.desk === null ? [] : [button, { text: words.news.choose }]),
        { note: words.news.origin(investor) },
      ],
    };
  };

function subjectOf({ kind, news }: Pick<WrittenNews, 'kind' | 'news'>, letter: Letter): string {
  const { news: words } = letter.words;
  const [first, ...others] = news;
  if (first === undefined) return '';
  const name = toOneLine(first.companyName, maxSubjectNameLength);
  if (others.length > 0) return words.digest(letter.number(news.length));
  if (kind === 'digest') return words.digestOfOne(name);
  if (first.access !== null) return describeAccess(first.access, name, letter).short;
  return first.corrections > 0 ? words.corrected(name) : words.late(name);
}

function linesOf(company: CompanyNews, letter: Letter): string[] {
  const { news: words } = letter.words;
  const { access, corrections, correctedKeys, lateSources } = company;
  const name = toOneLine(company.companyName, maxNameLength);
  return [
    ...(access === null ? [] : [describeAccess(access, name, letter).long]),
    ...(corrections === 0
      ? []
      : [
          words.corrections(
            name,
            letter.number(corrections),
            corrections === 1,
            namesOf(new Set([...correctedKeys].map((key) => letter.metric(key))), letter),
          ),
        ]),
    ...(lateSources.size === 0 ? [] : [words.lateSources(name, namesOf(lateSources, letter))]),
  ];
}

/** Describes a change of access. Returns one text for the subject and one for the body. */
function describeAccess(
  { event: { type, accessRequest } }: NonNullable<CompanyNews['access']>,
  name: string,
  { words: { news: words }, date }: Letter,
): { readonly short: string; readonly long: string } {
  const end = date(accessRequest.deadlineAt);
  const repeatText = (text: string) => ({ short: text, long: text });
  switch (type) {
    case 'access_request.approved':
      return { short: words.approved(name), long: words.until(words.approved(name), end) };
    case 'access_request.extended':
      return { short: words.extended(name), long: words.until(words.extended(name), end) };
    case 'access_request.revoked':
      return repeatText(words.revoked(name));
    case 'access_request.narrowed':
      return repeatText(words.narrowed(name));
    case 'access_request.paused':
      return repeatText(words.paused(name));
    case 'access_request.resumed':
      return repeatText(words.resumed(name));
    case 'access_request.expiring':
      return { short: words.ending(name), long: words.endsOn(name, end) };
    case 'access_request.expired':
      return repeatText(
        accessRequest.approvedScopes.length > 0 ? words.ended(name) : words.unanswered(name),
      );
    default:
      return repeatText(words.declined(name));
  }
}

function namesOf(names: ReadonlySet<string>, { list, number, words }: Letter): string {
  const sorted = [...names].toSorted().map((name) => toOneLine(name, maxNameLength));
  const more = sorted.length - maxNames;
  return more > 0
    ? words.news.andMore(sorted.slice(0, maxNames).join(', '), number(more))
    : list(sorted);
}
