// Splits a stream of text into lines, wherever the pieces are cut.
export class LineSplitter {
  private rest = "";

  // The lines that are complete now, without those that are empty.
  feed(text: string): string[] {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    return lines.filter((line) => line.trim() !== "");
  }
}
