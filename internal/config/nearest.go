package config

import "strings"

// Nearest returns the candidate that a mistyped word most likely meant, or ""
// where none is near. Near is one edit for a short word and one more for every
// three letters; an edit inserts, deletes, replaces or swaps neighbours.
func Nearest(word string, candidates []string) string {
	best, least := "", 1+len(word)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), c); d < least {
			best, least = c, d
		}
	}
	return best
}

// nearestKey is Nearest over full keys. A key in the wrong section, or in none,
// counts as one edit away.
func nearestKey(name string) string {
	key := name[strings.LastIndexByte(name, '.')+1:]
	best, least := "", 1+len(key)/3+1
	for _, f := range Fields() {
		d := min(distance(strings.ToLower(name), f.Name()), 1+distance(strings.ToLower(key), f.Key))
		if d < least {
			best, least = f.Name(), d
		}
	}
	return best
}

// distance is the number of edits between a and b (optimal string alignment),
// O(len(a)*len(b)).
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			replace := prev[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			cur[j] = min(replace, prev[j]+1, cur[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// meant turns a suggestion into the end of an error message.
func meant(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return "; did you mean " + suggestion + "?"
}
