# The vectors of the alignment kernel, and how they are sorted.

cdef extern from "<vector>" namespace "std" nogil:
    # Cython's own declarations convert C++ exceptions at each call. Functions without the GIL could only print them
    # and would continue with an incomplete table. With these declarations exceptions reach the call of ``guarded``.
    cdef cppclass vector[T]:
        cppclass iterator:
            iterator operator+(size_t)
            iterator operator-(size_t)
        T& operator[](size_t)
        T& back()
        T* data()
        size_t size()
        size_t capacity()
        iterator begin()
        iterator end()
        void assign(size_t, const T&)
        void clear()
        iterator insert[Input](iterator, Input, Input)
        void pop_back()
        void push_back(const T&)
        void reserve(size_t)
        void resize(size_t)


cdef extern from "<algorithm>" namespace "std" nogil:
    void nth_element[Iterator, Compare](Iterator, Iterator, Iterator, Compare)
    void partial_sort[Iterator, Compare](Iterator, Iterator, Iterator, Compare)
    void sort[Iterator](Iterator, Iterator)
    void sort[Iterator, Compare](Iterator, Iterator, Compare)
