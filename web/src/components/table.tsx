// A table that becomes a list of cards on a phone: every cell knows its column's name. Columns in which no row has
// anything are left out. Roles are said, because browsers forget those of a table that is not laid out as one.
import type { ComponentChildren, JSX } from "preact";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly isWide?: boolean; // long text, which may break anywhere
}

export function Table<T>({ caption, columns, rows, keyOf }: {
  readonly caption: string; // for screen readers
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}): JSX.Element {
  const cells = columns.map((column) => rows.map((row) => column.cell(row)));
  const shown = columns
    .map((column, index) => ({ column, contents: cells[index] ?? [] }))
    .filter(({ contents }, index) => index === 0 || contents.some((content) => !isEmpty(content)));
  return (
    <table class="table" role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {shown.map(({ column }) => (
            <th key={column.title} scope="col" role="columnheader">
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, at) => (
          <tr key={keyOf(row)} role="row">
            {shown.map(({ column, contents }, index) => (
              <Cell key={column.title} column={column} isFirst={index === 0} content={contents[at]} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<T>({ column, isFirst, content }: { readonly column: Column<T>; readonly isFirst: boolean; readonly content: ComponentChildren }): JSX.Element {
  const inside = (
    <>
      <span class="cell-title">{column.title}</span>
      <div class="cell">{content}</div>
    </>
  );
  if (isFirst) return <th scope="row" role="rowheader">{inside}</th>;
  return <td role="cell" class={`${column.isWide ? "wide" : ""}${isEmpty(content) ? " empty" : ""}`}>{inside}</td>;
}

function isEmpty(content: ComponentChildren): boolean {
  if (Array.isArray(content)) return content.every(isEmpty);
  return content === undefined || content === null || content === false || content === "";
}
