// A table that becomes a list of cards on a phone: every cell knows its column's name.
import type { ComponentChildren, JSX } from "preact";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly isWide?: boolean; // long text: takes what is left
}

export function Table<T>({ caption, columns, rows, keyOf }: {
  readonly caption: string; // for screen readers
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}): JSX.Element {
  return (
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col">
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => {
              const content = (
                <>
                  <span class="cell-title" aria-hidden="true">
                    {column.title}
                  </span>
                  <span class="cell">{column.cell(row)}</span>
                </>
              );
              return index === 0 ? (
                <th key={column.title} scope="row">
                  {content}
                </th>
              ) : (
                <td key={column.title} class={column.isWide ? "wide" : undefined}>
                  {content}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
