// Compare prints the planned and the actual amounts of a budget, the largest
// excess first.
//
// Usage: go run compare.go budget.csv
//
// The file has a header row and four columns: category, kind, planned, actual.
package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

type line struct {
	category, kind  string
	planned, actual float64
}

func (l line) excess() float64 { return l.actual - l.planned }

func read(path string) ([]line, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	var lines []line
	for number, row := range rows {
		if number == 0 {
			continue
		}
		if len(row) < 4 {
			return nil, fmt.Errorf("row %d has %d columns, 4 are needed", number+1, len(row))
		}
		planned, err := strconv.ParseFloat(strings.TrimSpace(row[2]), 64)
		if err != nil {
			return nil, fmt.Errorf("row %d: %q is not a number", number+1, row[2])
		}
		actual, err := strconv.ParseFloat(strings.TrimSpace(row[3]), 64)
		if err != nil {
			return nil, fmt.Errorf("row %d: %q is not a number", number+1, row[3])
		}
		lines = append(lines, line{row[0], row[1], planned, actual})
	}
	return lines, nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "Usage: go run compare.go budget.csv")
		os.Exit(2)
	}
	lines, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sort.SliceStable(lines, func(a, b int) bool { return lines[a].excess() > lines[b].excess() })
	var planned, actual float64
	for _, l := range lines {
		planned += l.planned
		actual += l.actual
		fmt.Printf("%+9.2f  %9.2f of %9.2f  %s\n", l.excess(), l.actual, l.planned, l.category)
	}
	fmt.Printf("%+9.2f  %9.2f of %9.2f  total\n", actual-planned, actual, planned)
}
