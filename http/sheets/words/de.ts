import type { Note, RowProblem } from '../findings.ts';
import type { SheetQuestion } from '../questions.ts';
import type { FileRefusal } from '../refusal.ts';
import { pairsOf, type QuestionWords, type SheetWords } from './en.ts';

const number = (plain: string): string => plain.replace('.', ',');

export const de: SheetWords = {
  ...{ refusal, problem, note, question, number },
  marks: {
    future: 'Der Zeitraum liegt in der Zukunft',
    old: 'Der Zeitraum liegt mehr als zehn Jahre zurück',
    factor: 'Mindestens 50-mal so groß oder so klein wie vorher',
    currency: 'Andere Währung als vorher',
    as_of: 'Das Datum in as_of liegt vor dem Ende des Zeitraums oder in der Zukunft',
    case: 'Neuer Name, der sich von einem bekannten nur durch Großbuchstaben unterscheidet',
    date: 'Neuer Name, der wie ein Datum aussieht. Eine Tabellenkalkulation hat ihn vielleicht geändert',
  },
};

function refusal(params: FileRefusal): string {
  switch (params.code) {
    case 'renamed_workbook':
      return 'Sie ist eine Excel-Arbeitsmappe. Benennen Sie sie in .xlsx um';
    case 'renamed_text':
      return 'Sie ist eine Textdatei. Benennen Sie sie in .csv um';
    case 'old_workbook':
      return 'Sie ist eine alte Excel-Datei (.xls). Öffnen Sie sie in Excel, und speichern Sie sie als .xlsx';
    case 'encrypted':
      return 'Sie ist mit einem Kennwort geschützt. Entfernen Sie das Kennwort in Excel, und speichern Sie sie noch einmal';
    case 'binary_workbook':
      return 'Sie ist eine binäre Excel-Arbeitsmappe (.xlsb). Speichern Sie sie als .xlsx';
    case 'other_program':
      return 'Sie stammt aus einem anderen Programm. Exportieren Sie sie als Excel-Arbeitsmappe (.xlsx)';
    case 'not_a_table':
      return 'Sie ist weder eine Excel-Arbeitsmappe (.xlsx) noch eine CSV-Datei. Speichern Sie die Tabelle als eine davon';
    case 'broken_workbook':
      return 'Die Arbeitsmappe ist beschädigt. Öffnen Sie sie in Excel, und speichern Sie sie noch einmal';
    case 'large_workbook':
      return 'Die Arbeitsmappe enthält zu viel. Kopieren Sie die Tabelle in eine neue Arbeitsmappe';
    case 'utf_32':
      return 'Sie ist in UTF-32. Speichern Sie sie als UTF-8';
    case 'no_heading':
      return 'Sie hat keine Überschriften. Schreiben Sie Kennzahl, Datum und Betrag über die Spalten';
    case 'no_rows':
      return 'Unter den Überschriften steht keine Zeile';
    case 'broken_quotes':
      return 'In mehr als 1000 Zeilen sind Anführungszeichen falsch gesetzt. Speichern Sie sie noch einmal als CSV';
    case 'blank_rows':
      return `Sie hat mehr als ${params.most} leere Zeilen. Löschen Sie die leeren Zeilen am Ende`;
    case 'too_many_rows':
      return `Sie hat mehr als ${params.most} Zeilen. Teilen Sie sie auf`;
    case 'missing_columns':
      return `Es fehlt die Spalte ${params.columns.map((name) => `„${name}“`).join(', ')}`;
    case 'two_columns':
      return params.headings[0] === params.headings[1]
        ? `Die Spalte „${params.headings[0]}“ gibt es zweimal. Löschen Sie eine`
        : `Die Spalten „${params.headings[0]}“ und „${params.headings[1]}“ bedeuten dasselbe. Löschen Sie eine`;
    case 'scaled':
      return `In Zeile ${params.line} steht „${params.text}“. Schreiben Sie alle Beträge mit allen Ziffern und löschen Sie diese Zeile`;
    case 'no_sheet':
      return `Es gibt kein Blatt „${params.name}“`;
    case 'two_decimal_marks':
      return `Zeile ${params.comma.line} (${params.comma.text}) hat ein Dezimalkomma, Zeile ${params.point.line} (${params.point.text}) aber einen Dezimalpunkt. Schreiben Sie alle Zahlen gleich`;
    case 'two_date_orders':
      return `In Zeile ${params.dayFirst.line} (${params.dayFirst.text}) steht der Tag vorn, in Zeile ${params.monthFirst.line} (${params.monthFirst.text}) aber der Monat. Geben Sie der Spalte ein einziges Datumsformat, und speichern Sie noch einmal`;
  }
}

function problem({ code, text, counts = [0, 0] }: RowProblem): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  switch (code) {
    case 'broken_quote':
      return 'Ein Anführungszeichen ist falsch gesetzt.';
    case 'open_quote':
      return 'Ein Anführungszeichen wird nicht geschlossen.';
    case 'long_line':
      return 'Die Zeile ist länger als 1 MiB, oder ein Anführungszeichen wird nicht geschlossen.';
    case 'wide_line':
      return 'Die Zeile hat mehr als 2000 Zellen.';
    case 'bad_character':
      return 'Ein Zeichen der Zeile ist nicht lesbar. Speichern Sie die Datei als UTF-8.';
    case 'too_many_cells':
      return `Die Zeile hat ${counts[0]} Zellen unter ${counts[1]} Überschriften. Löschen Sie die überzählige Zelle, oder setzen Sie eine Zahl mit Komma in Anführungszeichen.`;
    case 'no_key':
      return 'Die Zeile hat keine Kennzahl. Geben Sie ihren Schlüssel oder Namen an.';
    case 'bad_key':
      return `„${shown}“ ist weder der Name einer Ihrer Kennzahlen noch ein Schlüssel. Ein Schlüssel hat Buchstaben, Ziffern, „_“, „-“ und „.“, aber keine Leerzeichen.`;
    case 'two_labels':
      return `Mehrere Ihrer Kennzahlen heißen „${shown}“. Schreiben Sie stattdessen den Schlüssel.`;
    case 'no_period':
      return 'Die Zeile hat keinen Zeitraum. Geben Sie ein Datum, einen Monat oder ein Quartal an.';
    case 'serial':
      return `${shown} ist die Zahl, mit der Excel ein Datum speichert. Formatieren Sie die Spalte als Datum, und speichern Sie noch einmal.`;
    case 'year_only':
      return `„${shown}“ ist ein Jahr. Geben Sie einen Monat, ein Quartal oder ein Datum an.`;
    case 'no_year':
      return `In „${shown}“ fehlt das Jahr.`;
    case 'not_a_date':
      return `„${shown}“ ist weder ein Datum noch ein Monat oder Quartal wie 31.10.2026, Okt 2026 oder Q3 2026.`;
    case 'error_cell':
      return `${shown} ist der Fehler einer Formel. Berichtigen Sie die Formel, und speichern Sie die Datei noch einmal.`;
    case 'not_calculated':
      return 'Die Formel hat kein Ergebnis. Öffnen Sie die Datei in Excel, und speichern Sie sie noch einmal.';
    case 'narrow_column':
      return 'Die Spalte war für die Zahl zu schmal. Verbreitern Sie sie, und speichern Sie noch einmal.';
    case 'shortened':
      return `Das Programm hat die Zahl auf ${shown} verkürzt. Formatieren Sie die Spalte als Zahl ohne Exponent, und speichern Sie noch einmal.`;
    case 'abbreviated':
      return `Schreiben Sie alle Ziffern von ${shown}.`;
    case 'no_number':
      return 'Hier steht keine Zahl. Geben Sie eine ein, oder löschen Sie die Zeile.';
    case 'date_in_amount':
      return `${shown} ist ein Datum. Formatieren Sie die Spalte als Zahl.`;
    case 'not_a_number':
      return `„${shown}“ ist keine Zahl wie 1234,56.`;
    case 'bad_currency':
      return `„${shown}“ ist kein Währungscode wie EUR.`;
    case 'two_currencies':
      return `Die Währung in ${shown} ist eine andere als in der Währungsspalte.`;
    case 'bad_flag':
      return `„${shown}“ ist weder WAHR noch FALSCH.`;
  }
}

const linesOf = (lines: readonly number[]): string =>
  `${lines.length === 1 ? 'Zeile' : 'Zeilen'} ${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ' …' : ''}`;

function note(params: Note): string {
  switch (params.code) {
    case 'heading_row':
      return `Zeile ${params.line} enthält die Überschriften.`;
    case 'split':
      return 'Jede Zeile war eine einzige Zelle. Sie wurde an ihren Trennzeichen geteilt.';
    case 'unpivoted':
      return 'Spalten mit einem Zeitraum als Überschrift wurden als Zeilen dieses Zeitraums gelesen.';
    case 'encoding':
      return `Der Text wurde als ${params.encoding} gelesen.`;
    case 'columns_left_out':
      return `Ausgelassen: ${params.headings.length === 1 ? 'Spalte' : 'Spalten'} ${params.headings.join(', ')}.`;
    case 'totals_left_out':
      return `${linesOf(params.lines)} ausgelassen: Summen.`;
    case 'sections_left_out':
      return `${linesOf(params.lines)} ausgelassen: keine Zahlen.`;
    case 'dashes_left_out':
      return `${linesOf(params.lines)} ausgelassen: Ein Strich steht für keine Zahl.`;
    case 'months':
      return `${params.count === 1 ? '1 Monat wurde' : `${params.count} Monate wurden`} als letzter Tag des Monats gelesen.`;
    case 'quarters':
      return `${params.count === 1 ? '1 Quartal wurde' : `${params.count} Quartale wurden`} als letzter Tag des Quartals gelesen.`;
    case 'by_label':
      return `Anhand der Namen erkannt: ${pairsOf(params.labels)}.`;
  }
}

function question({ id, examples: [first] }: SheetQuestion): QuestionWords {
  const [text = '', one = '', other = ''] = [first?.text, ...(first?.readings ?? [])];
  switch (id) {
    case 'encoding':
      return {
        title: `Heißt das Wort ${one} oder ${other}?`,
        answers: [`${one} (Windows)`, `${other} (Macintosh)`],
        columns: ['Windows', 'Macintosh'],
      };
    case 'dates':
      return {
        title: `Ist ${text} der ${ofDay(one)} oder der ${ofDay(other)}?`,
        answers: [
          `Der ${ofDay(one)}: Der Tag steht vorn`,
          `Der ${ofDay(other)}: Der Monat steht vorn`,
        ],
        columns: ['Tag vorn', 'Monat vorn'],
      };
    case 'numbers': {
      const mark = text.includes('.') ? 'Punkt' : 'Komma';
      const article = text.includes('.') ? 'Der' : 'Das';
      return {
        title: `Bedeutet ${text} die Zahl ${number(one)}?`,
        answers: [
          `Ja, ${number(one)}: ${article} ${mark} trennt Tausender`,
          `Nein, ${number(other)}: ${article} ${mark} ist ein Dezimal${mark.toLowerCase()}`,
        ],
        columns: ['Mit Tausendern', 'Mit Dezimalen'],
      };
    }
    case 'dashes':
      return {
        title: 'Steht ein Strich für null oder für keine Zahl?',
        answers: ['Null', 'Keine Zahl: auslassen'],
        columns: ['Null', 'Keine Zahl'],
      };
    case 'keys':
      return {
        title: `Ist ${other} Ihre Kennzahl ${one}?`,
        answers: [`Ja, es ist ${one}`, `Nein, ${other} ist eine neue Kennzahl`],
        columns: ['Ihre Kennzahl', 'Neue Kennzahl'],
      };
    case 'first_days':
      return {
        title: `Steht ${text} für den Monat oder für diesen Tag?`,
        answers: [`Für den Monat, der am ${one} endet`, `Für den Tag ${other}`],
        columns: ['Monat', 'Tag'],
      };
    case 'percents':
      return {
        title: `Soll ${text} in Prozent oder als Anteil gespeichert werden?`,
        answers: [`In Prozent: ${number(one)}`, `Als Anteil: ${number(other)}`],
        columns: ['Prozent', 'Anteil'],
      };
    case 'repeats':
      return {
        title: `Welche Zeile gilt für ${first?.key ?? ''}, ${text}?`,
        answers: [`Die erste: Zeile ${number(one)}`, `Die letzte: Zeile ${number(other)}`],
        columns: ['Erste Zeile', 'Letzte Zeile'],
      };
  }
}

const days = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'UTC' });

/** Formats a date, for example `2026-04-03` as `3. April 2026`. */
const ofDay = (day: string): string => days.format(new Date(day));
