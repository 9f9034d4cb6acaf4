//go:build !linux

package databasetest

// memoryFolder returns "": the cluster is in the folder for temporary files.
func memoryFolder() string { return "" }
